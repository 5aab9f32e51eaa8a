// Checks the API's document by the rules that two linters recommend, Redocly and Spectral. Reads it as `document` from a
// line of JSON and answers with the findings of both.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";

const asked = [];
for await (const part of process.stdin) asked.push(part);
const { document } = JSON.parse(Buffer.concat(asked).toString());

async function redocly() {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      // `/v1/client/` has one, because programs that are there call it so.
      "no-path-trailing-slash": "off",
      // A fixed part of a path wins over a parameter: `…/tokens/{token}` over `…/{collection}/{id}`.
      "no-ambiguous-paths": "off",
      // A login by a provider is a way for browsers: it answers redirects alone.
      "operation-2xx-response": "off",
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`);
}

async function spectral() {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({
    extends: [[spectralRulesets.oas, "recommended"]],
    rules: {
      // Each installation has an operator of its own, and the document is the same for all.
      "info-contact": "off",
      // A summary says all that there is to say of a simple operation.
      "operation-description": "off",
      // `/v1/client/` has one, because programs that are there call it so.
      "path-keys-no-trailing-slash": "off",
    },
  });
  const problems = await linter.run(document);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
}

console.log(JSON.stringify({ redocly: await redocly(), spectral: await spectral() }));
