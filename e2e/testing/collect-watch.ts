/** Opens a watch and collects all of its events. */
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ListeningCluster } from '#platform/kube'

export interface CollectedWatch {
  /** Parsed events in the order of arrival. */
  readonly events: any[]
  close(): void
}

/** Resolves when the watch is open. */
export const collectWatch = (
  { url, token, certificateAuthority: ca }: Pick<ListeningCluster, 'url' | 'token' | 'certificateAuthority'>,
  path: string,
  accept = 'application/json',
): Promise<CollectedWatch> =>
  new Promise((resolve, reject) => {
    const collect = (response: IncomingMessage): void => {
      const events: any[] = []
      let rest = ''
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop()!
        events.push(...lines.map((line) => JSON.parse(line)))
      })
      resolve({ events, close: () => response.destroy() })
    }
    const call = request(
      new URL(path, url),
      { ca, headers: { authorization: `Bearer ${token}`, accept } },
      collect,
    )
    call.on('error', reject)
    call.end()
  })
