// The main job through a client whose types openapi-typescript makes from the API's document.

import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

/** Data of an answer. Throws an error that tells the problem of another answer. */
function held<T>(answer: { data?: T; error?: { code: string; detail: string } }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  }
  return answer.data;
}

/** Signs up, makes a project and a configuration, publishes, and reads what is live. */
export async function mainJob(baseUrl: string, name: string): Promise<unknown> {
  const api = createClient<paths>({ baseUrl });
  const account = {
    displayName: name,
    username: name,
    email: `${name}@shop.example`,
    password: "a password of theirs",
  };
  const session = held(await api.POST("/v1/auth/local/signup", { body: account }));
  api.use({
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${session.token}`);
      return request;
    },
  });
  const project = held(
    await api.POST("/v1/vault/projects", {
      body: { websiteURL: "https://shop.example", title: "Shop" },
    }),
  );
  const configuration = held(
    await api.POST("/v1/vault/cookies", {
      body: {
        projectId: project.id,
        name: "en",
        language: "en",
        steps: [{ name: "hello", layout: "welcome", title: "Cookies" }],
      },
    }),
  );
  const projectId = project.id;
  let job = held(
    await api.POST("/v1/publish/jobs/{projectId}", { params: { path: { projectId } } }),
  );
  while (job.status === "started") {
    await new Promise((again) => setTimeout(again, job.timeout));
    const path = { projectId, jobId: job._id };
    job = held(await api.GET("/v1/publish/jobs/{projectId}/{jobId}", { params: { path } }));
  }
  const listed = held(
    await api.GET("/v1/vault/cookies", { params: { query: { projectId, perPage: 5 } } }),
  );
  const refused = await api.POST("/v1/vault/projects", { body: { websiteURL: "x", title: "" } });
  const read = held(
    await api.GET("/v1/client/{projectId}", { params: { path: { projectId } } }),
  );
  return {
    status: job.status,
    name: read.name,
    layouts: listed.map((one) => one.data.steps?.[0]?.layout),
    configuration: listed[0]?.id === configuration.id,
    refused: refused.error?.errors?.map((error) => error.code),
  };
}
