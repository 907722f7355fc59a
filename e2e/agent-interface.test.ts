/** Tests agents on a live system: the result of every action, the rights of their accounts, and their budgets. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Incident, LABORATORY, type Laboratory, openLaboratory } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { type AgentSolverOptions, agentSolver, sandboxPlaybooks, sandboxShell } from '#examinee/aci'
import { createSandbox, type Sandbox } from '#machine/sandbox'
import { createLocalEngine } from '#platform/engines/local'
import type {
  Actions,
  EngineCluster,
  EpisodeEvent,
  KubeApi,
  Observation,
  Problem,
  SolverContext,
} from '#spec'
import { loadSystem } from '#world/systems'
import {
  type AccountRequest,
  FORBIDDEN,
  NAMESPACE,
  READS,
  REPAIRS,
  SERVICE,
} from './testing/account-requests.ts'
import { kubectls } from './tools.ts'

const PROBLEM: Problem = {
  id: 'one',
  system: 'simple-micro',
  task: 'mitigation',
  report: 'none',
  seed: 's',
  faults: [{ fault: 'scaled-to-zero', target: { service: SERVICE }, params: {}, shape: { kind: 'sudden' } }],
  budget: { steps: 60, seconds: 230 },
}

let temporary: string
let cluster: EngineCluster
let lab: Laboratory
let sandbox: Sandbox

beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'agent-interface-'))
  mkdirSync(join(temporary, 'sandbox'))
  vi.stubEnv('TMPDIR', join(temporary, 'sandbox'))
  const system = await loadSystem('simple-micro')
  cluster = await createLocalEngine({ onError: (where, error) => console.error(where, error) }).provision(
    system,
  )
  sandbox = await createSandbox({
    server: cluster.server,
    dial: cluster.connectSandbox,
    tools: { kubectl: kubectls().at(-1)!.path },
  })
  lab = await openLaboratory({ cluster, system, faults: await loadFaults(), seed: 'test' })
})
afterAll(async () => {
  await sandbox?.close()
  await lab?.close()
  await cluster?.close()
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})

const runFile = promisify(execFile)

const play = async (
  incident: Incident,
  act: (actions: Actions) => Promise<void>,
  options: Partial<AgentSolverOptions> = {},
) => {
  const solver = agentSolver({
    agent: {
      name: 'tester',
      about: 'Runs the actions of a test',
      roles: [],
      async *solve({ actions }) {
        yield { thought: 'I begin' }
        await act(actions)
      },
    },
    shell: sandboxShell(sandbox),
    playbooks: sandboxPlaybooks(sandbox),
    ...options,
  })
  const outcome = await incident.attempt(solver)
  const ended = outcome.events.find(({ type }) => type === 'solver-ended')
  return { ...outcome, ended: ended as EpisodeEvent & { type: 'solver-ended' } }
}

/** Words that would reveal the laboratory or the fault to an agent. */
const REVEALING = /chaos-mesh|laboratory|StressChaos|scaled-to-zero|fault-injected/i

const scaleTo = (replicas: number | string): string =>
  `- hosts: localhost
  gather_facts: false
  tasks:
    - name: Bring it back
      kubernetes.core.k8s_scale:
        {api_version: apps/v1, kind: Deployment, namespace: ${NAMESPACE}, name: ${SERVICE}, replicas: ${replicas}}
`

/** Creates a ConfigMap and then fails. */
const HALF_DONE = `- hosts: localhost
  gather_facts: false
  tasks:
    - name: Make one
      kubernetes.core.k8s:
        definition: {apiVersion: v1, kind: ConfigMap, metadata: {name: half-done, namespace: ${NAMESPACE}}}
    - name: Give up
      ansible.builtin.fail: {msg: no luck}
`

const VALID_CALLS: readonly (readonly [string, object, RegExp])[] = [
  ['get_alerts', { all: true }, /^Alerts/],
  ['get_metrics', { service: 'hello-service', metric: 'up' }, /hello-service GET \/hello: /],
  ['get_topology', {}, /hello-service -> time-service/],
  ['get_traces', { service: 'hello-service', errors: true }, /times: .* FAILED: /],
  ['get_logs', { service: 'hello-service', since_seconds: 600 }, /lines/],
  ['query_telemetry', { sql: 'SELECT service, count(*) AS n FROM spans GROUP BY 1' }, /hello-service \| \d+/],
  ['get_objects', { kind: 'deploy' }, /- time-service: 0\/0 ready/],
  ['get_objects', { kind: 'Deployment', name: SERVICE }, /replicas: 0/],
  ['describe', { kind: 'deployment', name: SERVICE }, /ScalingReplicaSet/],
  [
    'exec_shell',
    { command: 'kubectl get deploy -o name | sort; id -un; echo x > file' },
    /time-service\nnobody/,
  ],
  ['exec_shell', { command: 'unset KUBECONFIG; kubectl get deploy -o name' }, /time-service/],
  ['exec_shell', { command: 'cat file; kubectl auth whoami' }, /x\n[\s\S]*serviceaccount:default:operator/],
]

const INVALID_CALLS: readonly (readonly [string, object, RegExp])[] = [
  ['get_alerts', { every: true }, /every/],
  ['get_metrics', { metric: 'upp' }, /Did you mean "up"\?/],
  ['get_topology', { since_seconds: -1 }, /since_seconds: /],
  ['get_traces', { service: 'time' }, /Existing services: hello-service, time-service/],
  ['get_logs', { severity: 'fatal' }, /severity: /],
  ['query_telemetry', { sql: 'SELECT * FROM main.epochs' }, /The query failed: no such table: main/],
  ['query_telemetry', { sql: "SELECT $a('), * FROM main.events -- '" }, /The query failed: no such table/],
  ['query_telemetry', { sql: 'DELETE FROM spans' }, /The query failed/],
  ['get_objects', { kind: 'StressChaos' }, /Supported kinds: /],
  ['get_objects', { kind: 'secrets', namespace: LABORATORY }, /Your account does not have this permission/],
  ['describe', { kind: 'deployment', name: 'time-servic' }, /Did you mean "time-service"\?/],
  ['exec_shell', { command: 'kubectl get stresschaos -A' }, /forbidden/i],
  ['exec_shell', { command: 'sleep 60', timeout_seconds: 1 }, /the command was killed/],
  ['run_playbook', { playbook: 'no: playbook' }, /was refused. It did not run/],
  ['restart', {}, /Available actions: /],
]

describe('an agent that repairs the system', () => {
  it('can call every action, gets errors for wrong calls, and resolves the problem', async () => {
    const incident = await lab.prepare(PROBLEM)
    const observations: (readonly [string, Observation])[] = []
    const { verdict, events, ended } = await play(
      incident,
      async (actions) => {
        const call = async (name: string, input: object): Promise<Observation> => {
          const observation = await actions.call(name, input)
          observations.push([name, observation])
          return observation
        }
        for (const [name, input, text] of VALID_CALLS)
          expect(await call(name, input), name).toMatchObject({ ok: true, text: expect.stringMatching(text) })
        for (const [name, input, text] of INVALID_CALLS)
          expect(await call(name, input), name).toMatchObject({
            ok: false,
            text: expect.stringMatching(text),
          })
        expect(await call('run_playbook', { playbook: HALF_DONE })).toMatchObject({
          ok: false,
          text: expect.stringMatching(/FAILED: Give up .*: no luck/),
          data: { rolledBack: ['ConfigMap/half-done deleted'] },
        })
        expect(await call('run_playbook', { playbook: scaleTo(1) })).toMatchObject({
          ok: true,
          data: { ok: true, tasks: [{ task: 'Bring it back', outcome: 'changed' }] },
        })
        expect(await call('submit', {})).toMatchObject({ ok: true })
      },
      { policy: { rollback: 'on-failure' } },
    )
    expect(ended.outcome, ended.reason).toBe('submitted')
    expect(verdict).toMatchObject({ outcome: 'resolved' })
    for (const [name, { ok, text, data }] of observations) {
      expect(text.length, name).toBeLessThanOrEqual(6500)
      if (ok) expect(JSON.stringify([text, data]), name).not.toMatch(REVEALING)
    }
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === 'step-taken')).toHaveLength(
      VALID_CALLS.length + INVALID_CALLS.length + 3,
    )
    expect(types).toEqual(
      expect.arrayContaining(['thought-noted', 'playbook-vetted', 'task-ended', 'playbook-rolled-back']),
    )
    await incident.restore()
  }, 240_000)
})

/** Resolves to the status code of each rejected request, and to 0 for each successful one. */
const sendAll = async (api: KubeApi, requests: readonly AccountRequest[]): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      requests.map(async ([name, send]) => [
        name,
        await send(api).then(
          () => 0,
          (error: { code?: number }) => error.code ?? -1,
        ),
      ]),
    ),
  )
/** Returns `code` for each request. */
const codeForEach = (requests: readonly AccountRequest[], code: number): Record<string, number> =>
  Object.fromEntries(requests.map(([name]) => [name, code]))

/** Sends the requests with the account of a solver. */
const sendAsSolver = async (incident: Incident, requests: readonly AccountRequest[]) => {
  const sent = Promise.withResolvers<{ context: SolverContext; results: Record<string, number> }>()
  await incident.attempt({
    name: 'sender',
    async solve(context) {
      sent.resolve({ context, results: await sendAll(context.api, requests) })
    },
  })
  return sent.promise
}

describe('the laboratory on a healthy system', () => {
  let healthy: Incident | undefined
  const prepareHealthy = async (task: Problem['task'], budget = PROBLEM.budget): Promise<Incident> => {
    if (healthy?.isRestored === false) await healthy.restore()
    healthy = await lab.prepare({ ...PROBLEM, id: task, task, faults: [], budget })
    return healthy
  }

  it('lets an operator account repair the system, and do nothing else', async () => {
    const incident = await prepareHealthy('mitigation')
    const { results, context } = await sendAsSolver(incident, [...FORBIDDEN, ...REPAIRS, ...READS])
    expect(results).toEqual({ ...codeForEach(FORBIDDEN, 403), ...codeForEach([...REPAIRS, ...READS], 0) })
    const { kubeconfig } = context
    expect(kubeconfig).toContain(`namespace: ${NAMESPACE}`)
    const [, claims = ''] = /token: "?[\w-]+\.([\w-]+)\./.exec(kubeconfig) ?? []
    const token = Buffer.from(claims, 'base64url').toString()
    expect(token).toContain('operator')
    expect(token + kubeconfig).not.toMatch(REVEALING)
    const stale = await sandboxShell(sandbox).run({
      command: 'kubectl get pods',
      api: context.api,
      kubeconfig,
      namespace: NAMESPACE,
      timeoutMs: 30_000,
      signal: AbortSignal.timeout(30_000),
    })
    expect(stale.exitCode).not.toBe(0)
    expect(stale.stderr).toMatch(/Unauthorized|must be logged in/)
    await incident.restore()
  })

  it('lets an agent read, but not change, the system if its task only asks for an answer', async () => {
    const incident = await prepareHealthy('detection')
    const { results } = await sendAsSolver(incident, [...FORBIDDEN, ...REPAIRS, ...READS])
    expect(results).toEqual({ ...codeForEach([...FORBIDDEN, ...REPAIRS], 403), ...codeForEach(READS, 0) })
    const { ended, verdict } = await play(incident, async (actions) => {
      expect(actions.available.every(({ isReadOnly }) => isReadOnly)).toBe(true)
      expect((await actions.call('run_playbook', { playbook: scaleTo(0) })).text).toContain('not available')
      const command = `kubectl get pods && kubectl scale deploy ${SERVICE} --replicas=0`
      const { ok, text } = await actions.call('exec_shell', { command })
      expect({ ok, text }).toEqual({ ok: false, text: expect.stringMatching(/Running[\s\S]*forbidden/i) })
      await actions.call('submit', { detected: false })
    })
    expect(ended).toMatchObject({ outcome: 'submitted' })
    expect(verdict).toMatchObject({ outcome: 'resolved' })
  })

  it("accepts an agent's credentials only from its sandbox, and records every write", async () => {
    const incident = await prepareHealthy('mitigation')
    const file = join(temporary, 'stolen-kubeconfig')
    const labelArguments = (value: string): string[] => [
      'label',
      'deploy',
      SERVICE,
      `owner=${value}`,
      '--overwrite',
    ]
    const approvalRequests: unknown[] = []
    const { events, ended } = await play(
      incident,
      async (actions) => {
        const { data } = await actions.call('exec_shell', { command: 'cat $KUBECONFIG' })
        writeFileSync(file, (data as { stdout: string }).stdout)
        // Not synchronous: the API server runs in this process.
        const fromHost = runFile(kubectls().at(-1)!.path, ['--kubeconfig', file, ...labelArguments('host')])
        await expect(fromHost).rejects.toThrow(/Unauthorized|must be logged in/)
        const inSandbox = `for n in 1 2 3; do kubectl ${labelArguments('sandbox-$n').join(' ')}; done`
        expect((await actions.call('exec_shell', { command: inSandbox })).ok).toBe(true)
        await actions.call('submit', { detected: false })
      },
      {
        policy: {
          async approve({ input }) {
            approvalRequests.push(input)
            return { isApproved: true }
          },
        },
      },
    )
    expect(ended).toMatchObject({ outcome: 'submitted' })
    expect(approvalRequests).toHaveLength(2)
    const writes = events.filter(({ type }) => type === 'write-audited')
    expect(writes).toMatchObject(
      [1, 2, 3].map(() => ({ verb: 'patch', object: `deployments/${SERVICE}`, code: 200 })),
    )
    await incident.restore()
  })

  it('enforces budgets, even during an action', async () => {
    const incident = await prepareHealthy('detection', { steps: 2, seconds: 5 })
    const withoutSteps = await play(incident, async (actions) => {
      for (;;) await actions.call('get_alerts', {})
    })
    expect(withoutSteps.ended).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the step budget is spent',
    })
    expect(withoutSteps.verdict.metrics.steps).toBe(2)
    const withoutTime = await play(incident, async (actions) => {
      await actions.call('exec_shell', { command: 'sleep 50', timeout_seconds: 60 })
    })
    expect(withoutTime.ended).toMatchObject({ outcome: 'budget-spent', reason: 'the time budget is spent' })
    expect(
      withoutTime.ended.at - withoutTime.events.find(({ type }) => type === 'solver-started')!.at,
    ).toBeLessThan(20_000)
    expect(withoutTime.events.find(({ type }) => type === 'step-taken')).toMatchObject({
      observation: 'The action was aborted: the time budget is spent.',
    })
    await incident.restore()
  })
})
