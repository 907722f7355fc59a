/**
 * A corpus of hostile and broken commands and playbooks, on a live system: none gets out, none harms what is not its own, each
 * is told of. Every class is tried here; `npm run proof hostile` tries all there are, each alone.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PlaybookReport } from '../src/playbook/index.ts'
import type { SandboxOutcome } from '../src/sandbox/index.ts'
import { type Arena, createArena, SECRETS, sandboxFolders } from './testing/hostile-arena.ts'
import {
  type HostileCommand,
  type HostilePlaybook,
  IS_WHOLE,
  joinPlaybooks,
  loadCommands,
  loadPlaybooks,
  someOf,
} from './testing/hostile-corpus.ts'

let arena: Arena
beforeAll(async () => {
  arena = await createArena()
})
afterEach(() => arena.expectUnharmed())
afterAll(async () => {
  await arena?.close()
  expect(sandboxFolders()).toEqual([])
})

const MARK = '##-what-came-of'
/** One after the other in one sandbox, each with its own time. */
const DRIVER = `for n in $(ls /input | grep ^c- | sort); do timeout -s KILL 30 sh /input/$n > /tmp/.said 2>&1
code=$?; echo "${MARK} $n $code"; head -c 3000 /tmp/.said; echo; done`
const BATCH = IS_WHOLE ? 1 : 24

const environment = { KUBECONFIG: '/input/kubeconfig' }

/** Whether it is a process that lives in a sandbox of ours. */
const isInside = (pid: string): boolean => {
  try {
    return new RegExp(`remedium-sandboxes/sandbox-\\d+-${process.pid}-`).test(
      readFileSync(`/proc/${pid}/cgroup`, 'utf8'),
    )
  } catch {
    return false
  }
}

const keepsSecrets = (text: string): boolean => SECRETS.every((secret) => !text.includes(secret))

/** Those that did not end as they must, in words. */
const inBatches = async (commands: readonly HostileCommand[]): Promise<string[]> => {
  const escaped: string[] = []
  for (let from = 0; from < commands.length; from += BATCH) {
    const batch = commands.slice(from, from + BATCH)
    const names = batch.map((_, at) => `c-${String(at).padStart(3, '0')}`)
    const { stdout, stderr, trouble } = await arena.sandbox.run({
      command: ['/bin/sh', '-c', DRIVER],
      environment,
      limits: { timeoutMs: 150_000, keptBytes: 2 ** 20 },
      files: {
        kubeconfig: arena.kubeconfig,
        ...Object.fromEntries(batch.map(({ run }, at) => [names[at]!, run])),
      },
    })
    const parts = new Map(
      stdout
        .split(`${MARK} `)
        .slice(1)
        .map((part) => [part.slice(0, 5), part.slice(6)]),
    )
    for (const [at, { tries }] of batch.entries()) {
      const part = parts.get(names[at]!)
      if (part === undefined) escaped.push(`${tries}: nothing is known of it (${trouble ?? stderr})`)
      else if (part.startsWith('0\n') || !keepsSecrets(part) || /kubectl: .*not found/.test(part))
        escaped.push(`${tries}: ${part}`)
    }
  }
  return escaped
}

describe('a hostile shell', () => {
  it('gets at nothing of the machine', async () => {
    expect(await inBatches(loadCommands('host-commands.yaml', arena.places))).toEqual([])
  })

  it('gets at nothing of the cluster that is not its own', async () => {
    expect(await inBatches(someOf(loadCommands('cluster-commands.yaml', arena.places), 2))).toEqual([])
  })

  const LIMIT_MS = 2000
  const SLACK_MS = 20_000
  const endOf = ({ cut, trouble }: SandboxOutcome): string =>
    cut ?? (trouble?.includes('memory') ? 'memory' : 'itself')

  it('uses up nothing but its own share', async () => {
    const wrong: string[] = []
    const attempt = async ({ tries, run, ends, says }: HostileCommand): Promise<void> => {
      const outcome = await arena.sandbox.run({
        command: ['/bin/sh', '-c', run],
        environment,
        files: { kubeconfig: arena.kubeconfig },
        limits: { timeoutMs: ends === 'time' ? LIMIT_MS : 60_000 },
      })
      const { stdout, stderr, milliseconds } = outcome
      const isAsSaid = says === undefined || `${stdout}${stderr}`.includes(says)
      const isShort = stdout.length + stderr.length < 600_000
      const isSoon = ends !== 'time' || milliseconds < LIMIT_MS + SLACK_MS
      if (endOf(outcome) !== ends || !isAsSaid || !isShort || !isSoon || !keepsSecrets(stdout + stderr))
        wrong.push(
          `${tries}: ${endOf(outcome)} after ${milliseconds} ms: ${stdout.slice(-200)} ${stderr.slice(-200)}`,
        )
    }
    const commands = someOf(loadCommands('exhausting-commands.yaml', arena.places), 2)
    const next = async (): Promise<void> => {
      for (let command = commands.shift(); command !== undefined; command = commands.shift())
        await attempt(command)
    }
    await Promise.all([next(), next(), next(), next()])
    expect(wrong).toEqual([])
  })
})

describe('a hostile playbook', () => {
  it('is refused in words, and so is a broken one', async () => {
    const { refused = [], broken = [] } = loadPlaybooks(arena.places)
    const passed: string[] = []
    for (const { tries, text } of [...refused, ...broken]) {
      const report = await arena.runner.run(text)
      if (!report.isRefused || report.findings.length === 0 || report.output.length > 10_000)
        passed.push(`${tries}: ${report.output}`)
    }
    expect(passed).toEqual([])
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

  it('gets out no more where nobody vets it', async () => {
    const unvetted = (loadPlaybooks(arena.places).refused ?? []).filter((one) => one.unvetted)
    const tried = someOf(unvetted, 4)
    let forbidden = 0
    for (const group of IS_WHOLE ? tried.map((one) => [one]) : [tried]) {
      const { stdout, stderr, trouble } = await runUnvetted(group)
      expect(trouble).toBeUndefined()
      expect(`${stdout}${stderr}`).toContain('PLAY RECAP')
      for (const { tries } of group) expect(stdout + stderr).toContain(`PLAY [${tries}]`)
      expect(keepsSecrets(stdout + stderr)).toBe(true)
      forbidden += stdout.match(/forbidden/gi)?.length ?? 0
    }
    // Who came as far as the cluster met the rights of its account.
    expect(forbidden).toBeGreaterThan(IS_WHOLE ? 10 : 3)
  })

  it('that hides from those who vet it fails at what holds', async () => {
    const { run = [] } = loadPlaybooks(arena.places)
    for (const { text } of run) expect(arena.runner.vet(text).isRefused).toBe(false)
    const tasks: PlaybookReport['tasks'][number][] = []
    for (const group of IS_WHOLE ? run.map((one) => [one]) : [run]) {
      const report = await arena.runner.run(joinPlaybooks(group))
      expect(keepsSecrets(report.output)).toBe(true)
      tasks.push(...report.tasks)
    }
    const failed = tasks.filter(({ outcome }) => outcome === 'failed').map(({ play }) => play)
    expect(failed).toEqual(run.map(({ tries }) => tries))
    const forbidden = tasks.filter(({ message }) => /forbidden/i.test(message ?? ''))
    expect(forbidden.map(({ play }) => play)).toHaveLength(6)
    expect(keepsSecrets(JSON.stringify(tasks))).toBe(true)
  })

  it('that never ends, or never stops talking, is ended', async () => {
    const { endless = [], flood = [] } = loadPlaybooks(arena.places)
    const results = await Promise.all(
      [...endless, ...flood].map(async ({ tries, text }) => {
        const signal = AbortSignal.timeout(5000)
        const { ok, output } = await arena.runner.run(text, { signal })
        return { tries, ok, isShort: output.length < 400_000, isCut: output.includes('ended by force') }
      }),
    )
    for (const { tries } of endless)
      expect(results.find((one) => one.tries === tries)).toEqual({
        tries,
        ok: false,
        isShort: true,
        isCut: true,
      })
    for (const { tries } of flood)
      expect(results.find((one) => one.tries === tries)).toMatchObject({ tries, isShort: true })
  })

  it('leaves no process on the machine', () => {
    expect(readdirSync('/proc').filter(isInside)).toEqual([])
  })
})
