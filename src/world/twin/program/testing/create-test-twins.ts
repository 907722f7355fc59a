/** Runs twins in the test process, each on a separate port, and collects their logs and spans. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Behaviour, ServiceSlice, Span } from '#spec'
import { createNodeHost, type NodeHost } from '../create-node-host.ts'
import { type RunningTwin, startTwin } from '../start-twin.ts'

export interface TwinUnderTest extends RunningTwin {
  /** The log so far. */
  readonly lines: readonly string[]
}

export interface TestTwins {
  /** The upstreams of a service must be started before it. */
  start(service: string, behaviour: Behaviour, env?: Readonly<Record<string, string>>): Promise<TwinUnderTest>
  /** The exported spans of all twins. */
  readonly spans: readonly Span[]
  close(): Promise<void>
}

const collectSpans = async (path: string, spans: Span[]): Promise<Server> => {
  const server = createServer((socket) => {
    let rest = ''
    socket.on('error', () => {})
    socket.on('data', (part) => {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) spans.push(...JSON.parse(line).spans)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}

export const createTestTwins = async (): Promise<TestTwins> => {
  const folder = mkdtempSync(join(tmpdir(), 'twins-'))
  const telemetryPath = join(folder, 'telemetry.sock')
  const spans: Span[] = []
  const collector = await collectSpans(telemetryPath, spans)
  const twins: RunningTwin[] = []
  const hosts: NodeHost[] = []
  const protocols: Record<string, ServiceSlice['protocols'][string]> = {}
  const env: Record<string, string> = {}

  const start: TestTwins['start'] = async (service, behaviour, serviceEnv = {}) => {
    const lines: string[] = []
    const output = { write: (line: string) => void lines.push(line), flush: () => {}, dropped: 0 }
    const slice = {
      system: 'test',
      service,
      release: '1',
      behaviour: { listen: '0', ...behaviour },
      protocols: { ...protocols },
    }
    const twinEnv = { ...env, HOSTNAME: `${service}-0`, ...serviceEnv }
    const host = createNodeHost({ env: twinEnv, telemetryPath, output })
    hosts.push(host)
    const twin = await startTwin({ host, slice, env: twinEnv, metricsPort: 0 })
    twins.push(twin)
    protocols[service] = {
      protocol: behaviour.protocol,
      port: twin.port,
      ...(behaviour.rpc === undefined ? {} : { rpc: behaviour.rpc }),
    }
    env[`${service.toUpperCase().replaceAll('-', '_')}_ADDR`] = `127.0.0.1:${twin.port}`
    return { ...twin, lines }
  }
  return {
    start,
    spans,
    close: async () => {
      await Promise.all(twins.map((twin) => twin.close(0)))
      await Promise.all(hosts.map((host) => host.close()))
      await new Promise((resolve) => collector.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
