/** The pods of a StatefulSet, read and labelled through the Kubernetes API with the service account of a pod. */
import { withDeadline } from './with-deadline.ts'
import type { XenonHost } from './xenon-host.ts'

export interface Member {
  readonly name: string
  readonly host: string
  /** The value of the role label. */
  readonly role: string | undefined
}

/** The Kubernetes API as xenon uses it. */
export interface PodApi {
  /** Pods that are not being deleted. */
  members(): Promise<readonly Member[]>
  label(pod: string, role: string): Promise<void>
}

export interface PodApiOptions {
  readonly host: string
  readonly port: number
  /** The service account folder that the kubelet mounts, with `token`, `ca.crt` and `namespace`. */
  readonly account: string
  /** A label selector such as `app=tsdb-mysql`. */
  readonly selector: string
}

const TIMEOUT_MS = 3_000

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly status?: { readonly podIP?: string }
}

/** Throws if the folder of the service account is incomplete. */
export const createPodApi = (
  xenonHost: Pick<XenonHost, 'time' | 'readText' | 'requestApi'>,
  { host, port, account, selector }: PodApiOptions,
): PodApi => {
  const { time, readText, requestApi } = xenonHost
  const certificateAuthority = readText(`${account}/ca.crt`)
  const path = `/api/v1/namespaces/${readText(`${account}/namespace`).trim()}/pods`
  const send = async (method: string, target: string, body?: string): Promise<string> => {
    const headers = {
      accept: 'application/json',
      // Read for each request, because the kubelet renews the token.
      authorization: `Bearer ${readText(`${account}/token`).trim()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/merge-patch+json' }),
    }
    const request = { host, port, method, target, headers, certificateAuthority }
    const answer = await withDeadline(time, TIMEOUT_MS, `${method} ${target}: no answer`, (signal) =>
      requestApi(body === undefined ? request : { ...request, body }, signal),
    )
    if (answer.status === 200) return answer.body
    throw new Error(`${method} ${target}: ${answer.status} ${answer.body.slice(0, 200)}`)
  }
  return {
    members: async () => {
      const text = await send('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`)
      const { items } = JSON.parse(text) as { items: readonly Pod[] }
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata, status }) => ({
          name: metadata.name,
          host: status?.podIP ?? '',
          role: metadata.labels?.role,
        }))
    },
    label: async (pod, role) => {
      await send('PATCH', `${path}/${pod}`, JSON.stringify({ metadata: { labels: { role } } }))
    },
  }
}
