-- Files of customers; their bytes are in the object store.
CREATE TABLE assets (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL,
    original_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    object TEXT NOT NULL,
    uploaded_by BLOB NOT NULL,
    uploaded_at INTEGER NOT NULL
);
CREATE INDEX assets_project ON assets (project_id, id);

-- What was rendered of an image, so that it goes when the image goes.
CREATE TABLE asset_renders (
    asset_id BLOB NOT NULL,
    object TEXT NOT NULL,
    PRIMARY KEY (asset_id, object)
);
