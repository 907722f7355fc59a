/** Creates and patches the Deployment `web`, which has two containers; for tests. */
import type { TestApi } from './create-test-api.ts'

export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
export const MERGE = 'application/merge-patch+json'
export const STRATEGIC = 'application/strategic-merge-patch+json'

export const createWebDeployment = (api: TestApi) => {
  const labels = { app: 'web' }
  const spec = {
    containers: [
      { name: 'c', image: 'one' },
      { name: 'side', image: 's' },
    ],
  }
  return api.send(DEPLOYMENTS, {
    method: 'POST',
    body: {
      metadata: { name: 'web', labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  })
}

/** Sends a PATCH, to `web` by default. */
export const sendPatch = async (api: TestApi, type: string, body: unknown, path = `${DEPLOYMENTS}/web`) => {
  const { code, json } = await api.send(path, { method: 'PATCH', body, headers: { 'Content-Type': type } })
  return { code, message: json.message, json }
}
