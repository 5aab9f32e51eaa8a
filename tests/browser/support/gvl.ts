// A Global Vendor List of invented vendors.

export const VERSION = 200;

const texts = (what: string, ids: readonly number[]) =>
  Object.fromEntries(
    ids.map((id) => [id, { id, name: `${what} ${id}`, description: `Description of ${what.toLowerCase()} ${id}.`, illustrations: [] }]),
  );

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/**
 * The list: vendor 1 needs consent for purposes 1 and 3, vendor 2 claims legitimate interests, vendor 3 is flexible,
 * and the others ask for purpose 1. Only vendor 4 uses special feature 1.
 */
export function list(vendors = 45, version = VERSION): Record<string, unknown> {
  const declared: Record<number, object> = {
    1: { purposes: [1, 3] },
    2: { purposes: [1], legIntPurposes: [2, 7] },
    3: { purposes: [1, 2, 7], flexiblePurposes: [2, 7] },
    4: { purposes: [1], specialFeatures: [1] },
  };
  const vendor = (id: number) => ({
    id,
    name: `Vendor ${String(id).padStart(2, "0")} Ltd`,
    purposes: [1],
    legIntPurposes: [],
    flexiblePurposes: [],
    specialPurposes: [],
    features: [],
    specialFeatures: [],
    dataDeclaration: [],
    dataRetention: { stdRetention: 30, purposes: {}, specialPurposes: {} },
    cookieMaxAgeSeconds: 86_400,
    usesCookies: true,
    cookieRefresh: false,
    usesNonCookieAccess: false,
    urls: [{ langId: "en", privacy: `https://vendor-${id}.example/privacy`, legIntClaim: `https://vendor-${id}.example/interest` }],
    ...declared[id],
  });
  const stacks = texts("Stack", [2, 42, 43]) as Record<number, object>;
  const covered: Record<number, [number[], number[]]> = { 2: [[2, 7], []], 42: [[2, 7, 9], []], 43: [[], [1]] };
  return {
    gvlSpecificationVersion: 3,
    vendorListVersion: version,
    tcfPolicyVersion: 5,
    lastUpdated: new Date(Date.now() - 86_400_000).toISOString().replace(/\.\d+/, ""),
    purposes: texts("Purpose", upTo(11)),
    specialPurposes: texts("Special purpose", upTo(3)),
    features: texts("Feature", upTo(3)),
    specialFeatures: texts("Special feature", upTo(2)),
    stacks: Object.fromEntries(
      Object.entries(stacks).map(([id, text]) => {
        const [purposes, specialFeatures] = covered[Number(id)] ?? [[], []];
        return [id, { ...text, purposes, specialFeatures }];
      }),
    ),
    dataCategories: texts("Category", upTo(11)),
    standardTexts: {},
    vendors: Object.fromEntries(upTo(vendors).map((id) => [id, vendor(id)])),
  };
}
