/**
 * Tests hostile and broken commands and playbooks on a live system: none escapes, none harms anything outside its sandbox,
 * and each is reported. This test samples every class; `npm run proof hostile` runs the whole corpus, each entry in a
 * separate process.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import { type SandboxOutcome, startIsolatedProgram } from '#machine/sandbox'
import type { PlaybookReport } from '#platform/playbook'
import {
  type HostileCommand,
  type HostilePlaybook,
  joinPlaybooks,
  loadCommands,
  loadPlaybooks,
  RUNS_WHOLE_CORPUS,
  selectSome,
} from './hostile/hostile-corpus.ts'
import { type Arena, createArena, listOwnSandboxes, SECRETS } from './testing/hostile-arena.ts'

let arena: Arena
beforeAll(async () => {
  arena = await createArena()
})
afterEach(() => arena.expectUnharmed())
afterAll(async () => {
  await arena?.close()
  expect(listOwnSandboxes()).toEqual([])
})

const RESULT_MARK = '##-result-of'
/** Runs the commands in order in one sandbox, each with a time limit. */
const DRIVER = `for n in $(ls /input | grep ^c- | sort); do timeout -s KILL 30 sh /input/$n > /tmp/.output 2>&1
code=$?; echo "${RESULT_MARK} $n $code"; head -c 3000 /tmp/.output; echo; done`
const BATCH_SIZE = RUNS_WHOLE_CORPUS ? 1 : 24

const environment = { KUBECONFIG: '/input/kubeconfig' }

/** Whether a process runs in a sandbox of this test. */
const isInSandbox = (pid: string): boolean => {
  try {
    const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
    return listOwnSandboxes().some((id) => groups.includes(`remedium-sandboxes/${id}`))
  } catch {
    return false
  }
}

const readToken = (kubeconfig: string): string => /token: "?([\w.-]+)/.exec(kubeconfig)![1]!

/** Lists nodes with a token, from the host; resolves to the status code. */
const fetchStatus = (server: string, token: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${server}/api/v1/nodes`, { headers, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

const hasNoSecrets = (text: string): boolean => SECRETS.every((secret) => !text.includes(secret))

type RunFiles = (files: Readonly<Record<string, string>>) => Promise<{
  readonly stdout: string
  readonly stderr: string
  readonly failure?: string
}>

/** Runs the files in the sandbox of an agent. */
const runInSandbox: RunFiles = (files) =>
  arena.sandbox.run({
    command: ['/bin/sh', '-c', DRIVER],
    environment,
    limits: { timeoutMs: 150_000, keptBytes: 2 ** 20 },
    files: { kubeconfig: arena.kubeconfig, ...files },
  })

/** Runs the files as an external agent does. */
const runIsolated: RunFiles = async (files) => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-program-'))
  chmodSync(folder, 0o755)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const program = await startIsolatedProgram({
    command: ['/bin/sh', '-c', DRIVER.replaceAll('/input', folder)],
    environment: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    view: { folder, visible: [folder], hidden: [REPOSITORY] },
    limits: { memoryBytes: 2 ** 30, processes: 100, fileBytes: 2 ** 26, cores: 2 },
    reach: [],
  })
  try {
    const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)])
    return { stdout, stderr }
  } finally {
    await program.close()
    rmSync(folder, { recursive: true })
  }
}

/** Returns a sentence for each command that succeeded, revealed a secret or was not run. */
const findEscapes = async (
  commands: readonly HostileCommand[],
  run: RunFiles = runInSandbox,
): Promise<string[]> => {
  const escaped: string[] = []
  for (let from = 0; from < commands.length; from += BATCH_SIZE) {
    const batch = commands.slice(from, from + BATCH_SIZE)
    const names = batch.map((_, index) => `c-${String(index).padStart(3, '0')}`)
    const { stdout, stderr, failure } = await run(
      Object.fromEntries(batch.map((command, index) => [names[index]!, command.run])),
    )
    const parts = new Map(
      stdout
        .split(`${RESULT_MARK} `)
        .slice(1)
        .map((part) => [part.slice(0, 5), part.slice(6)]),
    )
    for (const [index, { tries }] of batch.entries()) {
      const part = parts.get(names[index]!)
      if (part === undefined) escaped.push(`${tries}: no result (${failure ?? stderr})`)
      else if (part.startsWith('0\n') || !hasNoSecrets(part) || /kubectl: .*not found/.test(part))
        escaped.push(`${tries}: ${part}`)
    }
  }
  return escaped
}

describe('a hostile external program', () => {
  /** An external program can reach other machines, listen in its own network namespace, and use the DNS relay. */
  const PERMITTED = [
    ...['reach the world', 'look up names', 'reach Services of the cluster without its API'],
    ...['take the place of the API server', 'scan the machine'],
  ]

  it('cannot reach the machine', async () => {
    const commands = loadCommands('host-commands.yaml', arena.placeholders)
    const forbidden = commands.filter(({ tries }) => !PERMITTED.includes(tries))
    expect(await findEscapes(selectSome(forbidden, 1), runIsolated)).toEqual([])
  })

  it('cannot reach the API server, with or without the credentials of its account', async () => {
    const authorizedRequest = `curl -sSk -m 5 --fail -H "Authorization: Bearer ${readToken(arena.kubeconfig)}" ${arena.cluster.server}/api/v1/nodes`
    const { stdout } = await runIsolated({
      'c-000': authorizedRequest,
      'c-001': `curl -sSk -m 5 ${arena.cluster.server}/version`,
    })
    expect(stdout).toMatch(/c-000 [1-9][\s\S]*c-001 [1-9]/)
    const fromHost = await fetchStatus(arena.cluster.server, readToken(arena.kubeconfig))
    expect(fromHost).toBe(401)
  })
})

describe('a hostile shell', () => {
  it('cannot reach the machine', async () => {
    expect(await findEscapes(selectSome(loadCommands('host-commands.yaml', arena.placeholders), 1))).toEqual(
      [],
    )
  })

  it('cannot use parts of the cluster that its account has no rights to', async () => {
    expect(
      await findEscapes(selectSome(loadCommands('cluster-commands.yaml', arena.placeholders), 2)),
    ).toEqual([])
  })

  const LIMIT_MS = 2000
  const TOLERANCE_MS = 20_000
  const endReasonOf = ({ stoppedBy, failure }: SandboxOutcome): string =>
    stoppedBy ?? (failure?.includes('memory') ? 'memory' : 'itself')

  it('exhausts only its own limits', async () => {
    const failures: string[] = []
    const attempt = async ({ tries, run, ends, says }: HostileCommand): Promise<void> => {
      const outcome = await arena.sandbox.run({
        command: ['/bin/sh', '-c', run],
        environment,
        files: { kubeconfig: arena.kubeconfig },
        limits: { timeoutMs: ends === 'time' ? LIMIT_MS : 60_000 },
      })
      const { stdout, stderr, milliseconds } = outcome
      const hasExpectedText = says === undefined || `${stdout}${stderr}`.includes(says)
      const isShort = stdout.length + stderr.length < 600_000
      const isOnTime = ends !== 'time' || milliseconds < LIMIT_MS + TOLERANCE_MS
      if (
        endReasonOf(outcome) !== ends ||
        !hasExpectedText ||
        !isShort ||
        !isOnTime ||
        !hasNoSecrets(stdout + stderr)
      )
        failures.push(
          `${tries}: ${endReasonOf(outcome)} after ${milliseconds} ms: ${stdout.slice(-200)} ${stderr.slice(-200)}`,
        )
    }
    const commands = selectSome(loadCommands('exhausting-commands.yaml', arena.placeholders), 2)
    const runRemaining = async (): Promise<void> => {
      for (let command = commands.shift(); command !== undefined; command = commands.shift())
        await attempt(command)
    }
    await Promise.all([runRemaining(), runRemaining(), runRemaining(), runRemaining()])
    expect(failures).toEqual([])
  })
})

describe('a hostile playbook', () => {
  it('is refused with a reason, and so is a broken one', async () => {
    const { refused = [], broken = [] } = loadPlaybooks(arena.placeholders)
    const accepted: string[] = []
    for (const { tries, text } of [...refused, ...broken]) {
      const report = await arena.runner.run(text)
      if (!report.isRefused || report.findings.length === 0 || report.output.length > 10_000)
        accepted.push(`${tries}: ${report.output}`)
    }
    expect(accepted).toEqual([])
  })

  const ANSIBLE = {
    K8S_AUTH_KUBECONFIG: '/input/kubeconfig',
    HOME: '/tmp',
    ANSIBLE_HOME: '/tmp/ansible',
    ANSIBLE_LOCAL_TEMP: '/tmp/local',
    ANSIBLE_REMOTE_TEMP: '/tmp/remote',
    ANSIBLE_TIMEOUT: '2',
    ANSIBLE_PYTHON_INTERPRETER: '/usr/bin/python3',
    ANSIBLE_LOCALHOST_WARNING: '0',
  }
  const runUnvetted = (playbooks: readonly HostilePlaybook[]): Promise<SandboxOutcome> =>
    arena.sandbox.run({
      command: ['ansible-playbook', '-i', 'localhost,', '-c', 'local', '/input/playbook.yml'],
      files: { 'playbook.yml': joinPlaybooks(playbooks), kubeconfig: arena.kubeconfig },
      environment: { ...environment, ...ANSIBLE },
      folder: '/tmp',
      limits: { timeoutMs: 180_000, keptBytes: 2 ** 20 },
    })

  it('cannot escape even without vetting', async () => {
    const unvetted = (loadPlaybooks(arena.placeholders).refused ?? []).filter((playbook) => playbook.unvetted)
    const selected = selectSome(unvetted, 4)
    let forbidden = 0
    for (const group of RUNS_WHOLE_CORPUS ? selected.map((playbook) => [playbook]) : [selected]) {
      const { stdout, stderr, failure } = await runUnvetted(group)
      expect(failure).toBeUndefined()
      expect(`${stdout}${stderr}`).toContain('PLAY RECAP')
      for (const { tries } of group) expect(stdout + stderr).toContain(`PLAY [${tries}]`)
      expect(hasNoSecrets(stdout + stderr)).toBe(true)
      forbidden += stdout.match(/forbidden/gi)?.length ?? 0
    }
    // Playbooks that reach the cluster are limited by the rights of their account.
    expect(forbidden).toBeGreaterThan(RUNS_WHOLE_CORPUS ? 10 : 3)
  })

  it('that passes vetting is stopped by the sandbox and by the rights of its account', async () => {
    const { run = [] } = loadPlaybooks(arena.placeholders)
    for (const { text } of run) expect(arena.runner.vet(text).isRefused).toBe(false)
    const tasks: PlaybookReport['tasks'][number][] = []
    for (const group of RUNS_WHOLE_CORPUS ? run.map((playbook) => [playbook]) : [run]) {
      const report = await arena.runner.run(joinPlaybooks(group))
      expect(hasNoSecrets(report.output)).toBe(true)
      tasks.push(...report.tasks)
    }
    const failed = tasks.filter(({ outcome }) => outcome === 'failed').map(({ play }) => play)
    expect(failed).toEqual(run.map(({ tries }) => tries))
    const forbidden = tasks.filter(({ message }) => /forbidden/i.test(message ?? ''))
    expect(forbidden.map(({ play }) => play)).toHaveLength(6)
    expect(hasNoSecrets(JSON.stringify(tasks))).toBe(true)
  })

  it('is stopped if it runs or prints endlessly', async () => {
    const { endless = [], flood = [] } = loadPlaybooks(arena.placeholders)
    const results = await Promise.all(
      [...endless, ...flood].map(async ({ tries, text }) => {
        const signal = AbortSignal.timeout(5000)
        const { ok, output } = await arena.runner.run(text, { signal })
        return { tries, ok, isShort: output.length < 400_000, isCut: output.includes('killed: ') }
      }),
    )
    for (const { tries } of endless)
      expect(results.find((result) => result.tries === tries)).toEqual({
        tries,
        ok: false,
        isShort: true,
        isCut: true,
      })
    for (const { tries } of flood)
      expect(results.find((result) => result.tries === tries)).toMatchObject({ tries, isShort: true })
  })

  it('leaves no process on the machine', () => {
    expect(readdirSync('/proc').filter(isInSandbox)).toEqual([])
  })
})
