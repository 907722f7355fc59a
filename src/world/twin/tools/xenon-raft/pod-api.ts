/**
 * The pods of a StatefulSet, read and labelled through the Kubernetes API with the service account of a pod.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

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

export const createPodApi = ({ host, port, account, selector }: PodApiOptions): PodApi => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(`${account}/ca.crt`) })
  const namespace = readFileSync(`${account}/namespace`, 'utf8').trim()
  const path = `/api/v1/namespaces/${namespace}/pods`
  const send = (method: string, target: string, body?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        accept: 'application/json',
        // Read for each request, because the kubelet renews the token.
        authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8').trim()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/merge-patch+json' }),
      }
      const options = {
        host,
        port,
        path: target,
        method,
        headers,
        agent,
        servername: 'kubernetes.default.svc',
      }
      const call = request({ ...options, timeout: TIMEOUT_MS }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (answer.statusCode === 200) resolve(text)
          else reject(new Error(`${method} ${target}: ${answer.statusCode} ${text.slice(0, 200)}`))
        })
      })
      call.once('timeout', () => call.destroy(new Error(`${method} ${target}: no answer`)))
      call.once('error', reject)
      call.end(body)
    })
  return {
    members: async () => {
      const { items } = JSON.parse(
        await send('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`),
      ) as {
        items: readonly Pod[]
      }
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
