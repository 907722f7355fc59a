/** Tests of the observations of the actions, for valid and invalid input. */
import { describe, expect, it } from 'vitest'
import type { PlaybookReport } from '#platform/playbook'
import type { Alert, EdgeStatistics, LogLine, Observation, SolverEvent, SqlAnswer } from '#spec'
import { runPlaybook } from './actions/run-playbook.ts'
import type { Shell } from './ports.ts'
import { callAction, withSignals } from './testing/call-action.ts'
import { toObject } from './testing/fake-context.ts'
import { MAX_CHARACTERS } from './to-text.ts'

const linesOf = ({ text }: Observation): string[] => text.split('\n')

const toAlert = (name: string, fields: Partial<Alert> = {}): Alert => ({
  name,
  severity: 'page',
  labels: { service: 'cart' },
  summary: `${name} holds`,
  raised: 1000,
  ...fields,
})
const toLog = (text: string, fields: Partial<LogLine> = {}): LogLine => ({
  time: 1000,
  namespace: 'shop',
  service: 'cart',
  pod: 'cart-1',
  container: 'cart',
  severity: 'info',
  text,
  ...fields,
})
const toEdge = (from: string, to: string, errorRate: number, p95 = 5): EdgeStatistics => ({
  from,
  to,
  count: 10,
  rate: 1,
  errors: 10 * errorRate,
  errorRate,
  p95,
})

describe('get_alerts', () => {
  const alerts = [toAlert('Old', { cleared: 2000 }), toAlert('Small', { severity: 'ticket' }), toAlert('Big')]

  it('returns active alerts, pages first', async () => {
    const { text, data } = await callAction('get_alerts', {}, withSignals({ alerts }))
    expect(text).toMatch(/Big holds[\s\S]*Small holds/)
    expect(text).not.toContain('Old')
    expect(data).toEqual([alerts[2], alerts[1]])
  })

  it('returns cleared alerts if asked to', async () => {
    expect((await callAction('get_alerts', { all: true }, withSignals({ alerts }))).text).toContain(
      'Old holds',
    )
  })
})

describe('get_metrics', () => {
  const samples = [3, 9, 6].map((value, index) => ({
    time: index * 1000,
    name: 'queue_length',
    labels: { service: 'cart' },
    value,
  }))

  it('returns the statistics of journeys', async () => {
    const { text, data } = await callAction('get_metrics', {})
    expect(text).toContain('buy: 1.5/s, 33.3 % fail, p50 4 ms, p95 88 ms')
    expect(data).toMatchObject({ journeys: [{ journey: 'buy' }], endpoints: [], usage: [] })
  })

  it('returns the samples of a metric, and lists the metrics if the name is unknown', async () => {
    const { text, data } = await callAction(
      'get_metrics',
      { metric: 'queue_length' },
      withSignals({ samples }),
    )
    expect(text).toContain('first 3 at 00:00:00.000, last 6 at 00:00:02.000, min 3, max 9 (3 samples)')
    expect(data).toMatchObject({ samples })
    expect(
      await callAction('get_metrics', { metric: 'queue_lenght' }, withSignals({ samples })),
    ).toMatchObject({
      ok: false,
      text: expect.stringContaining('Did you mean "queue_length"? Available metrics: queue_length.'),
    })
  })

  it('returns the usage of containers with their limits', async () => {
    const limits = { cpu: '500m', memory: '100Mi' }
    const pod = toObject('Pod', 'cart-1', { spec: { containers: [{ name: 'cart', resources: { limits } }] } })
    const row = { service: 'cart', pod: 'cart-1', container: 'cart', first: 0, last: 10_000 }
    const sql = (): SqlAnswer => ({
      columns: [],
      truncated: false,
      rows: [
        { ...row, name: 'container_cpu_usage_seconds_total', maxValue: 6, increase: 5 },
        { ...row, name: 'container_cpu_cfs_periods_total', maxValue: 100, increase: 100 },
        { ...row, name: 'container_cpu_cfs_throttled_periods_total', maxValue: 90, increase: 80 },
        { ...row, name: 'container_memory_working_set_bytes', maxValue: 2 ** 20, increase: 0 },
        { ...row, pod: 'gone', name: 'container_memory_working_set_bytes', maxValue: 2 ** 20, increase: 0 },
      ],
    })
    const { text, data } = await callAction('get_metrics', {}, { objects: [pod], signals: { sql } })
    expect(text).toContain(
      'cart-1 cart: cpu 0.50 of 0.5 cores, throttled in 80 % of CPU periods; memory 1 MiB of 100 MiB',
    )
    expect(data).toMatchObject({
      usage: [
        { pod: 'cart-1', cpuCores: 0.5, cpuLimitCores: 0.5, throttledShare: 0.8, memoryBytes: 2 ** 20 },
      ],
    })
  })
})

describe('get_logs', () => {
  it('reports similar lines once, the most severe first', async () => {
    const logs = [
      ...[1, 2, 3].map((number) => toLog(`served request ${number}`)),
      toLog('cannot reach redis:6379', { severity: 'error' }),
    ]
    const answer = await callAction('get_logs', { service: 'cart' }, withSignals({ logs }))
    const [, first, second] = linesOf(answer)
    expect(first).toContain('error cart-1: cannot reach redis:6379')
    expect(second).toContain('(3 similar lines')
    expect(answer.data).toEqual(logs)
  })

  it('suggests other filters if no line matches, and lists the services if the name is unknown', async () => {
    expect((await callAction('get_logs', { contains: 'x' })).text).toContain('Increase since_seconds')
    expect(await callAction('get_logs', { service: 'crat' })).toMatchObject({
      ok: false,
      text: 'The service "crat" does not exist. Did you mean "cart"? Existing services: cart, front.',
    })
  })
})

describe('get_topology', () => {
  it('returns degraded edges first, compares with the baseline, and lists edges without calls', async () => {
    const before = [toEdge('front', 'cart', 0), toEdge('front', 'ads', 0), toEdge('cart', 'redis', 0)]
    const now = [toEdge('front', 'ads', 0), toEdge('front', 'cart', 0.5, 900)]
    const graph = (isBaseline: boolean) => (isBaseline ? before : now)
    const answer = await callAction('get_topology', {}, withSignals({ graph }))
    expect(linesOf(answer)[1]).toBe(
      '- front -> cart: 1.0/s, 50 % fail, p95 900 ms (baseline: 1.0/s, 0 % fail, p95 5 ms)',
    )
    expect(answer.text).toContain('- cart -> redis: baseline 1.0/s')
    expect(answer.data).toEqual({ services: ['cart', 'front'], edges: now, before })
  })
})

describe('get_objects', () => {
  const secret = toObject('Secret', 'login', { data: { password: 'aHVudGVy' } })
  const pods = [
    toObject('Pod', 'a', {
      spec: { containers: [{}] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    toObject('Pod', 'b', {
      spec: { containers: [{}] },
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'main', restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      },
    }),
  ]

  it('lists a kind by any of its names, unhealthy objects first', async () => {
    const answer = await callAction('get_objects', { kind: 'po' }, { objects: pods })
    expect(linesOf(answer)[1]).toBe(
      '- b: Running, 0/1 ready, main waiting: CrashLoopBackOff, 4 restarts, not scheduled',
    )
    expect(answer.data).toEqual(pods)
  })

  it('returns the values of a Secret only if it is requested by name', async () => {
    const list = await callAction('get_objects', { kind: 'Secret' }, { objects: [secret] })
    expect(JSON.stringify(list.data) + list.text).not.toContain('aHVudGVy')
    const observation = await callAction(
      'get_objects',
      { kind: 'secrets', name: 'login' },
      { objects: [secret] },
    )
    expect(observation.text).toContain('password: aHVudGVy')
  })

  it('lists the supported kinds or the existing names if the requested one is unknown', async () => {
    expect((await callAction('get_objects', { kind: 'PodChaos' })).text).toContain(
      'Supported kinds: Pod, Deployment',
    )
    expect((await callAction('get_objects', { kind: 'deploy', name: 'crat' })).text).toBe(
      'The Deployment "crat" does not exist. Did you mean "cart"? Existing objects of this kind: cart, front.',
    )
  })

  it('hides events about objects of the laboratory, and managed fields', async () => {
    const events = ['PodChaos', 'Pod'].map((kind) =>
      toObject('Event', `of-${kind}`, { involvedObject: { kind } }),
    )
    const { data } = await callAction('get_objects', { kind: 'events' }, { objects: events })
    expect(data).toMatchObject([{ metadata: { name: 'of-Pod' } }])
    const noisy = toObject('Pod', 'n', { metadata: { name: 'n', managedFields: [{}] } })
    expect(
      (await callAction('get_objects', { kind: 'pod', name: 'n' }, { objects: [noisy] })).text,
    ).not.toContain('managedFields')
  })
})

describe('describe', () => {
  it('returns an object with the objects it owns and the events of all of them', async () => {
    const owner = { uid: 'Deployment-cart' }
    const replicaSet = toObject('ReplicaSet', 'cart-1', {
      metadata: { name: 'cart-1', uid: 'set', ownerReferences: [owner] },
      spec: { replicas: 1 },
    })
    const pod = toObject('Pod', 'cart-1-a', {
      metadata: { name: 'cart-1-a', uid: 'pod', ownerReferences: [{ uid: 'set' }] },
      spec: { containers: [] },
    })
    const events = ['Pod/cart-1-a', 'Pod/other'].map((object) => ({
      time: 1000,
      type: 'Warning' as const,
      reason: 'BackOff',
      object,
      message: 'again',
      count: 3,
    }))
    const { text, data } = await callAction(
      'describe',
      { kind: 'deployment', name: 'cart' },
      { objects: [replicaSet, pod], signals: { events } },
    )
    expect(text).toContain('00:00:01.000 Warning BackOff Pod/cart-1-a (3 times): again')
    expect(data).toMatchObject({ owned: [{ kind: 'ReplicaSet' }, { kind: 'Pod' }], events: [events[0]] })
    expect(await callAction('describe', { kind: 'deployment', name: 'nothing' })).toMatchObject({ ok: false })
  })
})

describe('query_telemetry', () => {
  it('returns as many rows as fit', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({ name: `row ${index}`, n: index }))
    const sql = (): SqlAnswer => ({ columns: ['name', 'n'], rows, truncated: false })
    const answer = await callAction('query_telemetry', { sql: 'SELECT ...' }, withSignals({ sql }))
    expect(linesOf(answer).slice(0, 2)).toEqual(['900 rows; columns: name | n:', '- row 0 | 0'])
    expect(answer.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
    expect(linesOf(answer).at(-1)).toContain('LIMIT')
    expect((answer.data as SqlAnswer).rows).toHaveLength(200)
    expect(answer.data).toMatchObject({ truncated: true })
  })

  it('explains an invalid query', async () => {
    const { ok, text } = await callAction('query_telemetry', { sql: 'SELECT * FROM nothing' })
    expect(ok).toBe(false)
    expect(text).toMatch(/^no such table: nothing\. The query must be one SELECT statement.*Tables:\nspans\(/)
  })
})

describe('exec_shell', () => {
  it('returns the exit code, stdout and stderr of the command', async () => {
    const requests: unknown[] = []
    const shell: Shell = {
      async run({ signal: _, ...request }) {
        requests.push(request)
        return { exitCode: 2, stdout: `${'a\n'.repeat(9000)}the end`, stderr: 'oh', failure: 'too long' }
      },
    }
    const answer = await callAction('exec_shell', { command: 'x', timeout_seconds: 5 }, { shell })
    expect(requests).toEqual([
      {
        command: 'x',
        api: expect.anything(),
        kubeconfig: 'a-kubeconfig',
        namespace: 'shop',
        timeoutMs: 5000,
      },
    ])
    expect(answer.ok).toBe(false)
    expect(linesOf(answer)[0]).toBe('exit code 2; the command was killed: too long')
    expect(answer.text).toMatch(/characters omitted[\s\S]*the end\nstderr:\noh\nOutput truncated. /)
    expect(answer.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
    expect(answer.fake.pendingWork).toHaveLength(1)
  })

  it('rejects a timeout over the maximum', async () => {
    const shell: Shell = { run: async () => ({ exitCode: 0, stdout: '', stderr: '' }) }
    expect(
      (await callAction('exec_shell', { command: 'x', timeout_seconds: 9999 }, { shell })).text,
    ).toContain('timeout_seconds: ')
  })
})

describe('run_playbook', () => {
  const REPORT: PlaybookReport = {
    ok: true,
    isRefused: false,
    findings: [],
    tasks: [],
    output: '',
    milliseconds: 1,
  }
  const runWith = (report: Partial<PlaybookReport>, events: readonly SolverEvent[] = []) =>
    callAction(
      'run_playbook',
      { playbook: '- hosts: localhost' },
      {
        playbooks: {
          async run({ onEvent }) {
            for (const event of events) onEvent(event)
            return { ...REPORT, ...report }
          },
        },
      },
    )
  const task = { play: 'Repair', task: 'Patch it', outcome: 'failed', message: 'forbidden' } as const

  it('reports the outcome of each task, and records it', async () => {
    const event: SolverEvent = { type: 'task-ended', ...task }
    const good = { ...task, outcome: 'ok', task: 'Look' } as const
    const answer = await runWith({ ok: false, tasks: [good, task], output: 'fatal: ...' }, [event])
    expect(linesOf(answer).slice(0, 4)).toEqual([
      'The playbook failed.',
      'Tasks, failed ones first:',
      '- FAILED: Patch it (Repair): forbidden',
      '- OK: Look (Repair): forbidden',
    ])
    expect(answer.text).toContain('Output of Ansible:\nfatal: ...')
    expect(answer.fake.events).toEqual([event])
    expect(answer.data).toEqual({ ok: false, tasks: [good, task], output: 'fatal: ...' })
  })

  it('counts the failed tasks of a playbook that completed', async () => {
    const good = { ...task, outcome: 'ok' } as const
    const headlineOf = async (...tasks: readonly (typeof task | typeof good)[]) =>
      linesOf(await runWith({ ok: true, tasks, output: '' }))[0]
    expect(await headlineOf(good)).toBe('The playbook completed. No task failed.')
    expect(await headlineOf(task, good)).toBe(
      'The playbook completed. 1 task failed and was ignored or rescued.',
    )
    expect(await headlineOf(task, good, task)).toContain('2 tasks failed and were ignored or rescued.')
  })

  it('states the time limit in its description', () => {
    expect(runPlaybook.about).toContain('killed after 120 s')
  })

  it('reports why a playbook was refused, and what was rolled back', async () => {
    const refusal = await runWith({
      ok: false,
      tasks: [],
      output: '',
      isRefused: true,
      findings: ['it deletes a namespace'],
    })
    expect(refusal.text).toContain('was refused. It did not run.\nReasons:\n- it deletes a namespace')
    const rollback = await runWith({ ok: false, tasks: [task], output: '', rolledBack: ['Deployment/cart'] })
    expect(rollback.text).toContain('Its changes were rolled back: Deployment/cart.')
    expect(rollback.data).toMatchObject({ rolledBack: ['Deployment/cart'] })
  })
})

describe('submit', () => {
  it.each([
    ['detection', {}, 'detected'],
    ['localisation', { detected: true }, 'services'],
    ['analysis', { layer: 'network' }, 'type'],
    ['end-to-end', { detected: true }, 'services, layer, type'],
  ] as const)('requires the answers that the task %s asks for', async (task, input, missing) => {
    const { ok, text, fake } = await callAction('submit', input, { task })
    expect({ ok, text }).toEqual({
      ok: false,
      text: `The task ${task} requires these answers, which are missing: ${missing}. Nothing was submitted. Call submit again with all required answers.`,
    })
    expect(fake.answers).toEqual([])
  })

  it.each(['detection', 'localisation', 'analysis', 'end-to-end'] as const)(
    'accepts detected=false alone in %s',
    async (task) => {
      const { fake } = await callAction('submit', { detected: false }, { task })
      expect(fake.answers).toEqual([{ detected: false }])
    },
  )

  it('rejects unknown services and layers', async () => {
    expect((await callAction('submit', { services: ['cart', 'crat'] })).text).toContain(
      'Did you mean "cart"?',
    )
    expect((await callAction('submit', { layer: 'cloud' })).text).toContain('layer: ')
  })
})
