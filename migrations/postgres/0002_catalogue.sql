-- The vendor catalogue as it was loaded; `meta` holds its version under `catalogue`.
CREATE TABLE catalogue_companies (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    sort_key TEXT COLLATE "C" NOT NULL,
    data TEXT NOT NULL
);
CREATE UNIQUE INDEX catalogue_companies_name ON catalogue_companies (name);

CREATE TABLE catalogue_vendors (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    sort_key TEXT COLLATE "C" NOT NULL,
    company_id UUID NOT NULL REFERENCES catalogue_companies (id),
    enabled BOOLEAN NOT NULL,
    deprecated BOOLEAN NOT NULL,
    -- `,analytics,marketing,`: a comma at both ends, so that one entry can be looked for.
    categories TEXT NOT NULL,
    domains TEXT NOT NULL,
    -- Folded words of name, title, company and domains.
    search TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE UNIQUE INDEX catalogue_vendors_name ON catalogue_vendors (name);
CREATE INDEX catalogue_vendors_company ON catalogue_vendors (company_id);
CREATE INDEX catalogue_vendors_order ON catalogue_vendors (sort_key, id);
