-- Files of customers; their bytes are in the object store.
CREATE TABLE assets (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL,
    original_name TEXT NOT NULL,
    mime_type TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    width BIGINT,
    height BIGINT,
    object TEXT COLLATE "C" NOT NULL,
    uploaded_by UUID NOT NULL,
    uploaded_at BIGINT NOT NULL
);
CREATE INDEX assets_project ON assets (project_id, id);

-- What was rendered of an image, so that it goes when the image goes.
CREATE TABLE asset_renders (
    asset_id UUID NOT NULL,
    object TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (asset_id, object)
);
