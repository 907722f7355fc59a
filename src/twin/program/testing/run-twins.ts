/** Twins in this process, for tests: each on a port of its own, with what it says and shows collected. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Behaviour, ServiceSlice, Span } from '../../../spec/index.ts'
import { type RunningTwin, startTwin } from '../start-twin.ts'

export interface TwinUnderTest extends RunningTwin {
  /** What it has written to its log. */
  readonly lines: readonly string[]
}

export interface TwinStage {
  /** Those it calls must be on the stage before it. */
  start(service: string, behaviour: Behaviour, env?: Readonly<Record<string, string>>): Promise<TwinUnderTest>
  /** Of all, as far as they have left the twins. */
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

export const createTwinStage = async (): Promise<TwinStage> => {
  const folder = mkdtempSync(join(tmpdir(), 'twins-'))
  const telemetryPath = join(folder, 'telemetry.sock')
  const spans: Span[] = []
  const collector = await collectSpans(telemetryPath, spans)
  const twins: RunningTwin[] = []
  const wires: Record<string, ServiceSlice['wires'][string]> = {}
  const env: Record<string, string> = {}

  const start: TwinStage['start'] = async (service, behaviour, own = {}) => {
    const lines: string[] = []
    const output = { write: (line: string) => void lines.push(line), flush: () => {}, dropped: 0 }
    const slice = {
      system: 'test',
      service,
      release: '1',
      behaviour: { listen: '0', ...behaviour },
      wires: { ...wires },
    }
    const twin = await startTwin({
      slice,
      env: { ...env, HOSTNAME: `${service}-0`, ...own },
      output,
      telemetryPath,
      metricsPort: 0,
    })
    twins.push(twin)
    wires[service] = {
      wire: behaviour.wire,
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
      await new Promise((resolve) => collector.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
