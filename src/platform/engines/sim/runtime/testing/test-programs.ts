/** Programs for tests of the runtime. */
import type { HttpRequestContent, HttpResponseContent, ProgramHost, SimulatedProgram } from '#spec'

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const waitFor = ({ time }: Pick<ProgramHost, 'time'>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    time.after(ms, resolve)
  })

const answer = (status: number, body: string): HttpResponseContent => ({ status, headers: {}, body })

/** Serves HTTP on port 8080: each request is answered by `handle`. Ends with code 0 on TERM. */
export const createServer =
  (handle: (request: HttpRequestContent, host: ProgramHost) => HttpResponseContent): SimulatedProgram =>
  async (host) => {
    const { network, write, exit } = host
    network.listen(8080, () => async ({ content }) => {
      const request = content as HttpRequestContent
      write(`${request.method} ${request.target}\n`)
      return { content: handle(request, host), bytes: 200 }
    })
    write('ready\n')
    await new Promise<void>((resolve) => {
      host.termination.addEventListener('abort', () => resolve())
    })
    exit(0)
  }

/** Answers every request with success. */
export const server = createServer(({ target }) => answer(200, `you asked for ${target}`))

/** Runs until it is killed. */
export const idle: SimulatedProgram = () => new Promise(() => {})

const writeFile = async ({ files }: ProgramHost, path: string, text: string): Promise<void> => {
  const file = await files.open(path, 'append')
  await file.write(new TextEncoder().encode(text), 0)
  await file.close()
}

/** Everyday programs, as far as the tests need them. */
export const testPrograms: Readonly<Record<string, SimulatedProgram>> = {
  true: async () => {},
  false: async ({ exit }) => exit(1),
  echo: async ({ args, write }) => write(`${args.join(' ')}\n`),
  env: async ({ environment, write }) =>
    write(
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    ),
  cat: async ({ args, input, files, write, writeError, exit }) => {
    if (args.length === 0) return write(input)
    for (const path of args) {
      if (!files.exists(path)) {
        writeError(`cat: ${path}: No such file or directory\n`)
        exit(1)
      }
      write(decode(files.read(path)))
    }
  },
  /** `append PATH TEXT` */
  append: async (host) => writeFile(host, host.args[0]!, host.args[1]!),
  sleep: async (host) => waitFor(host, Number(host.args[0]) * 1000),
  /** `detach COMMAND...` starts the command and does not wait for it. */
  detach: async ({ args, processes }) => void processes.start({ command: args }),
  /** `exec-after FIRST SECOND...` runs the first command without arguments, and then the others in its place. */
  'exec-after': async ({ args, processes }) => {
    await processes.start({ command: args.slice(0, 1) })?.ended
    processes.replace({ command: args.slice(1) })
  },
  ps: async ({ processes, write }) =>
    write(
      processes
        .list()
        .map(({ id, command }) => `${id} ${command.join(' ')}\n`)
        .join(''),
    ),
  /** `kill SIGNAL ID` */
  kill: async ({ args: [signal, id], processes, exit }) =>
    exit(processes.signal(Number(id), signal as 'TERM') ? 0 : 1),
  /** `allocate MEBIBYTES`, and then waits. */
  allocate: async (host) => {
    host.memory.allocate(Number(host.args[0]) * 2 ** 20)
    await waitFor(host, 3_600_000)
  },
  crash: async () => {
    throw new Error('the program crashed')
  },
}
