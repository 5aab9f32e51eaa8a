import { readChoices } from "@placet/sdk";

export const load = ({ request }) => ({ choices: readChoices(request.headers.get("cookie")) });
