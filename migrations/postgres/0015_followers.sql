-- Who made a document that began to follow a project afterwards has the roles of the project alone.
DELETE FROM members WHERE EXISTS (
    SELECT 1 FROM documents d
    WHERE d.id = members.document_id AND d.project_id <> d.id AND d.created_by = members.user_id);
