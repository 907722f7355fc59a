/** The contract suite of the port ProgramProcesses. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ProgramHost } from '#spec'

export interface ProgramProcessesSubject {
  /** Runs a program as the main program of a container that has the programs of `test-programs.ts`. */
  runMain(program: (host: ProgramHost) => Promise<void>): Promise<void>
  /** The output of the main program, and of the programs that inherit it. */
  output(): string
  /** The exit code of the container; undefined while it runs. */
  exitCode(): number | undefined
  wait(seconds: number): Promise<void>
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Runs a test in the main program, and returns what the test returns. */
const inMain = <T>(subject: ProgramProcessesSubject, test: (host: ProgramHost) => Promise<T>): Promise<T> =>
  subject.run(
    () =>
      new Promise((resolve, reject) => {
        void subject.runMain(async (host) => {
          await test(host).then(resolve, reject)
          await new Promise(() => {})
        })
      }),
  )

const describeStarts = (subject: () => ProgramProcessesSubject): void => {
  it('starts programs with arguments, input and output, and reports how they end', async () => {
    const results = await inMain(subject(), async ({ processes }) => {
      const [out, error] = [[] as string[], [] as string[]]
      const outputs = {
        write: (text: string) => out.push(text),
        writeError: (text: string) => error.push(text),
      }
      const codes = [
        await processes.start({ command: ['echo', 'a', 'b'], ...outputs })?.ended,
        await processes.start({ command: ['cat'], input: 'typed', ...outputs })?.ended,
        await processes.start({ command: ['cat', '/missing'], ...outputs })?.ended,
        await processes.start({ command: ['/bin/false'], ...outputs })?.ended,
      ]
      return { codes, out, error, missing: processes.start({ command: ['missing'] }) }
    })
    expect(results).toEqual({
      codes: [0, 0, 1, 1],
      out: ['a b\n', 'typed'],
      error: ['cat: /missing: No such file or directory\n'],
      missing: undefined,
    })
  })

  it('lets programs inherit the environment and the output, or get their own', async () => {
    const written = await inMain(subject(), async ({ processes }) => {
      const out: string[] = []
      await processes.start({ command: ['echo', 'inherited'] })?.ended
      const environment = { A: '1' }
      await processes.start({ command: ['env'], environment, write: (text) => out.push(text) })?.ended
      return out
    })
    expect(written).toEqual(['A=1\n'])
    expect(subject().output()).toBe('inherited\n')
  })

  it('shows the title of a program instead of its command', async () => {
    const names = await inMain(subject(), async ({ processes }) => {
      processes.setTitle('keeper')
      return processes.list().map(({ command }) => command.join(' '))
    })
    expect(names).toEqual(['keeper'])
  })

  it('keeps the processes of a program after the program has ended', async () => {
    const lists = await inMain(subject(), async ({ processes, time }) => {
      const names = () => processes.list().map(({ command }) => command.join(' '))
      await processes.start({ command: ['detach', 'sleep', '5'] })?.ended
      const before = names()
      await new Promise<void>((resolve) => {
        time.after(6000, resolve)
      })
      return { before: before.slice(1), after: names().slice(1) }
    })
    expect(lists).toEqual({ before: ['sleep 5'], after: [] })
  })

  it('replaces a program, which keeps its id', async () => {
    const results = await inMain(subject(), async ({ processes }) => {
      const out: string[] = []
      const started = processes.start({
        command: ['exec-after', 'true', 'sleep', '5'],
        write: (text) => out.push(text),
      })
      await processes.start({ command: ['sleep', '1'] })?.ended
      const list = processes.list().map(({ id, command }) => ({ id, command: command.join(' ') }))
      return { found: list.find(({ id }) => id === started?.id)?.command, code: await started?.ended, out }
    })
    expect(results).toEqual({ found: 'sleep 5', code: 0, out: [] })
  })
}

const describeSignals = (subject: () => ProgramProcessesSubject): void => {
  it('ends other processes by signals, with 128 plus their number', async () => {
    const codes = await inMain(subject(), async ({ processes }) => {
      const results: (number | undefined)[] = []
      for (const signal of ['TERM', 'KILL', 'INT', 'HUP'] as const) {
        const started = processes.start({ command: ['sleep', '60'] })!
        expect(processes.signal(started.id, signal)).toBe(true)
        results.push(await started.ended)
      }
      expect(processes.signal(4711, 'TERM')).toBe(false)
      return results
    })
    expect(codes).toEqual([143, 137, 130, 129])
  })

  it('protects the first process from signals that it does not handle', async () => {
    await inMain(subject(), async ({ processes }) => {
      for (const signal of ['KILL', 'TERM', 'INT', 'STOP'] as const) processes.signal(1, signal)
      await processes.start({ command: ['kill', 'KILL', '1'] })?.ended
    })
    expect(subject().exitCode()).toBeUndefined()
  })

  it('delivers TERM to the first process if it handles the signal', async () => {
    await subject().run(async () => {
      void subject().runMain(async ({ processes, termination, exit }) => {
        const aborted = new Promise<void>((resolve) => {
          termination.addEventListener('abort', () => resolve())
        })
        processes.start({ command: ['kill', 'TERM', '1'] })
        await aborted
        exit(7)
      })
      await subject().wait(1)
    })
    expect(subject().exitCode()).toBe(7)
  })

  it('ends everything with the main program', async () => {
    await subject().run(async () => {
      void subject().runMain(async ({ processes, exit }) => {
        processes.start({ command: ['exec-after', 'true', 'sleep', '2'] })
        processes.start({ command: ['exec-after', 'sleep', 'echo', 'too late'] })
        exit(3)
      })
      await subject().wait(10)
    })
    expect(subject().exitCode()).toBe(3)
    expect(subject().output()).toBe('')
  })
}

const describeEnds = (subject: () => ProgramProcessesSubject): void => {
  it('does not continue a program that waits for another one when its process is killed', async () => {
    let hasContinued = false
    await subject().run(async () => {
      void subject().runMain(async ({ processes, exit }) => {
        void processes.start({ command: ['sleep', '60'] })?.ended.then(() => {
          hasContinued = true
        })
        exit(3)
      })
      await subject().wait(1)
    })
    expect({ code: subject().exitCode(), hasContinued }).toEqual({ code: 3, hasContinued: false })
  })
}

const describeStops = (subject: () => ProgramProcessesSubject): void => {
  it('stops other processes until they continue', async () => {
    const ends = await inMain(subject(), async ({ processes, time }) => {
      const started = processes.start({ command: ['sleep', '5'] })!
      const endOf = async () => {
        await started.ended
        return time.now()
      }
      const [from, ended] = [time.now(), endOf()]
      expect(processes.signal(-1, 'STOP')).toBe(true)
      await new Promise<void>((resolve) => {
        time.after(20_000, resolve)
      })
      processes.signal(started.id, 'CONT')
      const killed = processes.start({ command: ['sleep', '60'] })!
      processes.signal(killed.id, 'STOP')
      processes.signal(killed.id, 'TERM')
      processes.signal(killed.id, 'CONT')
      return { seconds: Math.round(((await ended) - from) / 1000), code: await killed.ended }
    })
    expect(ends).toEqual({ seconds: 20, code: 143 })
  })

  it('keeps the settings of processes', async () => {
    const settings = await inMain(subject(), async ({ processes }) => {
      processes.configure(1, { nice: 19 })
      return [processes.settingsOf(1), processes.settingsOf(4711)]
    })
    expect(settings).toEqual([{ nice: 19, oomScoreAdj: 0, openFiles: expect.any(Array) }, undefined])
  })
}

/** `create` is called before each test. */
export const describeProgramProcesses = (name: string, create: () => ProgramProcessesSubject): void => {
  describe(`the processes of ${name}`, () => {
    let current: ProgramProcessesSubject
    beforeEach(() => {
      current = create()
    })
    describeStarts(() => current)
    describeSignals(() => current)
    describeStops(() => current)
    describeEnds(() => current)
  })
}
