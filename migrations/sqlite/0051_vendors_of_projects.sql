-- A custom vendor of a project follows the project alone. One that named an organization as well gave the members of that
-- organization roles on it which nobody of the project had agreed to.
UPDATE documents SET organization_id = NULL, organization_role = NULL, version = version + 1,
    data = json_remove(data, '$.organizationId')
WHERE collection = 'vendors' AND project_id IS NOT NULL AND organization_id IS NOT NULL;

-- The documents to which others added somebody, for the author of each entry of the audit log. A person may be a member of
-- thousands by own wish.
CREATE INDEX members_added ON members (user_id) WHERE is_added;
