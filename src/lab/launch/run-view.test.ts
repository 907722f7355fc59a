/** Tests the progress of a run on a terminal, and that text from agents cannot control the terminal. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PlannedEpisode, RunProgress } from '#lab/runs'
import { createRunView } from './run-view.ts'

const planned = {
  episode: 'p.1.1',
  problem: { id: 'p' },
  contender: { name: 'external', agent: 'external' },
} as PlannedEpisode

const STUBBED_PROPERTIES = ['isTTY', 'write', 'getWindowSize'] as const
const originals = STUBBED_PROPERTIES.map(
  (name) => [name, Object.getOwnPropertyDescriptor(process.stderr, name)] as const,
)

let written: string
beforeEach(() => {
  written = ''
  vi.stubEnv('CI', undefined)
  vi.stubEnv('NO_COLOR', '1')
  vi.stubEnv('TERM', 'xterm')
  const terminal = {
    isTTY: true,
    write(text: string) {
      written += text
      return true
    },
    getWindowSize: () => [80, 24],
  }
  for (const name of STUBBED_PROPERTIES)
    Object.defineProperty(process.stderr, name, { value: terminal[name], configurable: true, writable: true })
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const [name, original] of originals)
    if (original === undefined) delete (process.stderr as Partial<NodeJS.WriteStream>)[name]
    else Object.defineProperty(process.stderr, name, original)
})

/** Removes the escape sequences that the view uses to clear a line and to move up. */
const withoutViewEscapes = (text: string): string =>
  ['\r', '\x1b[2K', '\x1b[1A'].reduce((rest, sequence) => rest.replaceAll(sequence, ''), text)

it('escapes control characters in a stage, a result and a failure', () => {
  const view = createRunView(() => {})
  const evil = 'do\x1b[8m\x1b]52;c;eA==\x07ing\n9/9  resolved\u202e\r'
  const result = { episode: 'p.1.1', outcome: 'unresolved', problem: 'p', contender: 'external', epoch: 1 }
  view.onStage(planned, evil)
  view.onStart({ finished: [], planned: 1 })
  view.onEpisode({
    finished: 1,
    planned: 1,
    result: { ...result, reason: evil, blame: 'agent', stages: {}, tries: 1 },
  } as unknown as RunProgress)
  view.onFailure(planned, { code: 'tool-missing', message: evil, blame: 'operator' })
  view.end()
  const rows = withoutViewEscapes(written).split('\n')
  const escaped = 'do\\x1b[8m\\x1b]52;c;eA==\\x07ing 9/9  resolved\\u{202e}'
  expect(rows.filter((row) => row.includes(escaped)).length).toBeGreaterThanOrEqual(3)
  expect(rows.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(rows.filter((row) => row.startsWith('9/9'))).toEqual([])
})

it('shows the activity of a worker before the ID of the problem, which is cut at 80 columns', () => {
  const id = `train-ticket.network-partition.${'ts-order-other-service.'.repeat(4)}remediation.21b4dfce`
  const view = createRunView(() => {})
  view.onStage({ ...planned, problem: { id } } as PlannedEpisode, 'query_telemetry')
  view.onStart({ finished: [], planned: 1 })
  view.end()
  const rows = withoutViewEscapes(written).split('\n')
  const row = rows.find((line) => line.includes('query_telemetry'))
  expect(row).toMatch(/^ +0:00 {2}query_telemetry {2}· {2}external at train-ticket\..*…$/)
  expect(row!.length).toBeLessThan(80)
})

it('counts the results of earlier sessions of a resumed run', () => {
  const view = createRunView(() => {})
  const outcomes = ['resolved', 'resolved', 'unresolved', 'void'] as const
  view.onStart({
    planned: 6,
    finished: outcomes.map((outcome) => ({ outcome }) as RunProgress['result']),
  })
  view.end()
  expect(withoutViewEscapes(written)).toContain('4/6  ·  2 resolved (67 %)  ·  1 void  ·  0:00')
})

it('resets the style of the terminal before it asks', async () => {
  const view = createRunView(() => {})
  const answer = view.onQuestion(planned, 'run_playbook:\n- hosts: all')
  await vi.waitFor(() => expect(written).toContain('Approve? [y/N] '))
  expect(written.startsWith('\x1b[0mexternal asks for approval:\n  | run_playbook:\n')).toBe(true)
  view.end()
  expect(await answer).toBe(false)
})
