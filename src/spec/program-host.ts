/**
 * The port between a program in a container and the process that runs it. On a real cluster, the process is one of the operating
 * system. On a simulated cluster, the program runs inside the engine, and time, CPU, memory, files and network are models.
 */
import type { Span } from './telemetry.ts'

export interface ProgramTime {
  /** The clock of the container in milliseconds since the epoch; a fault can shift it. */
  now(): number
  /** Milliseconds with fractions since the epoch, by a clock of the machine that never steps; no fault shifts it. */
  monotonic(): number
  /** Calls `task` once. Returns a function that cancels the call. */
  after(ms: number, task: () => void): () => void
}

export interface ProgramCpu {
  /**
   * Resolves when the program's only thread has used `ms` of CPU time, which takes longer under a CPU limit. Later calls wait for
   * earlier ones.
   */
  use(ms: number): Promise<void>
  /** The CPU time that the program has used so far. */
  usedMs(): number
}

export interface ProgramMemory {
  /** The limit of the container; 0 if there is none. */
  readonly limitBytes: number
  usedBytes(): number
  /**
   * Returns a function that frees the memory; undefined if the machine has none to spare. A container that exceeds its
   * limit is killed.
   */
  allocate(bytes: number): (() => void) | undefined
}

/** An open file. Errors have the codes of the operating system: `ENOSPC`, `EIO`. */
export interface ProgramFile {
  /**
   * Resolves with the number of bytes written, which can be less than requested. A file that was opened with `append` ignores the
   * position and writes at its end.
   */
  write(bytes: Uint8Array, position: number): Promise<number>
  truncate(size: number): Promise<void>
  /** Resolves when the content is on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The status of the file or folder at a path. */
export interface FileStatus {
  readonly type: 'file' | 'folder'
  /** 0 for a folder. */
  readonly bytes: number
}

/** Errors have the codes of the operating system: `ENOENT`, `ENOSPC`, `EROFS`. */
export interface ProgramFiles {
  /** Whether there is a file or a folder. */
  exists(path: string): boolean
  /** The caller can change the result. */
  read(path: string): Uint8Array
  /** Also makes the folders above it. Succeeds if the folder exists. */
  makeFolder(path: string): void
  /**
   * `update` requires an existing file; `replace` truncates or creates it; `append` creates it if it is missing, and
   * writes at its end, regardless of the position.
   */
  open(path: string, mode: 'update' | 'replace' | 'append'): Promise<ProgramFile>
  /** Renames a file, and replaces a file that has the name. Open files stay open. */
  rename(from: string, to: string): Promise<void>
  /** Succeeds if there is no such file. */
  remove(path: string): Promise<void>
  /** Undefined if there is nothing at the path, or a fault hides it. */
  statusOf(path: string): FileStatus | undefined
  /** The names in a folder, sorted by their code units. Throws `ENOENT` or `ENOTDIR`. */
  list(path: string): readonly string[]
  /** Removes an empty folder. Rejects with `ENOENT`, `ENOTDIR`, `ENOTEMPTY`, or `EBUSY` for a mount point. */
  removeFolder(path: string): Promise<void>
}

export interface ProgramRandom {
  /** A number in [0, 1). */
  next(): number
  bytes(count: number): Uint8Array
}

/** The content of a message that is an HTTP request. */
export interface HttpRequestContent {
  readonly method: string
  /** The path with the query. */
  readonly target: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the connection uses TLS; false by default. */
  readonly isEncrypted?: boolean
}

/** The content of a message that is an HTTP response. */
export interface HttpResponseContent {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The values of `set-cookie`, which can occur several times. */
  readonly cookies?: readonly string[]
  readonly body: string
}

/** The content of a message that is a unary gRPC call. */
export interface GrpcRequestContent {
  /** `/package.Service/Method` */
  readonly rpc: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Plain JSON data. */
  readonly message: unknown
}

/** The content of a message that answers a unary gRPC call. */
export interface GrpcResponseContent {
  /** 0 is success. */
  readonly code: number
  /** The reason of a failure; empty after a success. */
  readonly reason: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Plain JSON data; null after a failure. */
  readonly message: unknown
}

/** A message between programs. */
export interface ProgramMessage {
  /** Must not be changed after it was sent. */
  readonly content: unknown
  /** The size on the network. */
  readonly bytes: number
}

/** A connection between two programs: requests of the client, each with one answer of the server. */
export interface ProgramConnection {
  /** The address of the server after the translation of Service addresses. */
  readonly address: string
  readonly isClosed: boolean
  /**
   * Exchanges can overlap. Rejects with an error of code `ECONNRESET` if the connection ends first, and `ETIMEDOUT` if it ends
   * because the other side does not respond.
   */
  exchange(request: ProgramMessage): Promise<ProgramMessage>
  /** Calls the listener when the connection ends, or at once if it has ended. */
  onClose(listener: () => void): void
  close(): void
}

/** One connection, from the side of the server. */
export interface AcceptedConnection {
  /** The address of the client. */
  readonly from: string
  onClose(listener: () => void): void
  close(): void
}

export interface ProgramListener {
  readonly port: number
  /** Refuses new connections. Existing ones stay open until the program ends or closes them. */
  close(): void
}

/** Returns the function that answers the requests of the connection. A rejection closes the connection. */
export type AcceptConnection = (
  connection: AcceptedConnection,
) => (request: ProgramMessage) => Promise<ProgramMessage>

export interface ProgramNetwork {
  /** The address of the pod. */
  readonly address: string
  /** Throws an error of code `EADDRINUSE` if another program of the pod listens on the port. */
  listen(port: number, accept: AcceptConnection): ProgramListener
  /** Resolves a name as the resolver of the pod does. Rejects with `ENOTFOUND` or `EAI_AGAIN`. */
  lookup(name: string): Promise<readonly string[]>
  /**
   * Rejects with `ENOTFOUND`, `EAI_AGAIN`, `ECONNREFUSED`, `ENETUNREACH` or `ETIMEDOUT`, or with the reason of the signal. Uses the
   * first address of a name.
   */
  connect(host: string, port: number, signal?: AbortSignal): Promise<ProgramConnection>
}

/** The resources that every host provides. */
export interface ProgramResources {
  readonly time: ProgramTime
  readonly cpu: ProgramCpu
  readonly memory: ProgramMemory
  readonly files: ProgramFiles
  readonly random: ProgramRandom
}

/** A program that was started in a container. */
export interface StartedProgram {
  /** The process id; unique in its container until the container ends. */
  readonly id: number
  /**
   * Resolves with the exit code when the program has ended: 128 plus the number of the signal if a signal ended it. Rejects with the
   * `UnsupportedCommand` with which the program rejected.
   */
  readonly ended: Promise<number>
}

/** A process as `ps` shows it. */
export interface ProgramProcess {
  readonly id: number
  /** The name of the program and its arguments. */
  readonly command: readonly string[]
}

export type ProgramSignal = 'CONT' | 'HUP' | 'INT' | 'KILL' | 'STOP' | 'TERM'

/** The settings of a process that other processes can change. They are kept, but have no effect. */
export interface ProgramSettings {
  readonly nice: number
  readonly oomScoreAdj: number
  /** The soft and the hard limit of open files. */
  readonly openFiles: readonly [soft: number, hard: number]
}

export interface StartProgramOptions {
  /** The name of the program, or its path, and its arguments. */
  readonly command: readonly string[]
  /** By default that of the program that starts it. */
  readonly environment?: Readonly<Record<string, string>>
  /** The working folder; by default that of the program that starts it. */
  readonly folder?: string
  /**
   * The whole standard input; empty by default. A function is called when the program reads its input for the first time: a program that
   * does not leaves it to others.
   */
  readonly input?: string | (() => string)
  /** Receive the output; by default it goes to the output of the program that starts it. */
  write?(text: string): void
  writeError?(text: string): void
}

/** The processes of one container. */
export interface ProgramProcesses {
  /** The id of this process; 1 for the main program of a container. */
  readonly id: number
  /** Starts a program of the container. Returns undefined if there is no such program. */
  start(options: StartProgramOptions): StartedProgram | undefined
  /**
   * Runs another program in place of this one, as `exec` does: it keeps the id, and its output goes where that of this program went. This
   * program does not continue: its promises do not settle, and its timers do not fire. Returns false if there is no such program.
   */
  replace(options: Omit<StartProgramOptions, 'write' | 'writeError'>): boolean
  /** Lists show this process by the title, instead of its command, until it runs another program. */
  setTitle(title: string): void
  /** All processes of the container that have not ended, in the order of their start. */
  list(): readonly ProgramProcess[]
  /**
   * Sends a signal. `KILL` ends the process. `STOP` stops it until `CONT`. Others end it unless it handles the signal. Process 1 ignores
   * `KILL`, `STOP` and the signals that it does not handle, because the kernel protects it from the other processes of its container. The
   * id -1 means all processes except this one and process 1. Returns false if there is no such process.
   */
  signal(id: number, signal: ProgramSignal): boolean
  /** Undefined if there is no such process. */
  settingsOf(id: number): ProgramSettings | undefined
  /** Changes some settings of an existing process. */
  configure(id: number, changed: Partial<ProgramSettings>): void
}

/** The host of a program in a simulated container. */
export interface ProgramHost extends ProgramResources {
  readonly network: ProgramNetwork
  readonly environment: Readonly<Record<string, string>>
  /** The arguments, without the name of the program. For the main program of an image, those after the entrypoint of the image. */
  readonly args: readonly string[]
  /** The working folder; `/` by default. */
  readonly folder: string
  /** The whole standard input; empty for the main program of a container. */
  readonly input: string
  /** Writes to the standard output, which is the log of the container for its main program. */
  write(text: string): void
  /** Writes to the standard error, which is the log of the container for its main program. */
  writeError(text: string): void
  exportSpan(span: Span): void
  /** Ends the program. The end of the main program ends the container with all its processes. */
  exit(code: number): void
  /**
   * Aborts when the program receives `TERM`. A program that reads the property handles the signal; any other is ended by it, unless it is
   * process 1.
   */
  readonly termination: AbortSignal
  readonly processes: ProgramProcesses
}

/**
 * A program that runs on a host. It ends by `host.exit`, or by returning with code 0; a rejection ends it with code 1. A rejection with
 * `UnsupportedCommand` means that the cluster does not model what the program was asked to do: the engine then ends the attempt of
 * the agent as unsupported. An exec that runs the program rejects with the same error.
 */
export type SimulatedProgram = (host: ProgramHost) => Promise<void>

/** The programs of an image on a simulated cluster. */
export interface SimulatedImage {
  /** The program of a container that declares no command. */
  readonly main?: SimulatedProgram
  /** The memory of the main program without its allocations; that of a small process by default. */
  readonly mainBytes?: number
  /**
   * Further programs by their paths in the image; a command can name them without the folder. Every image also has the everyday
   * programs of a shell.
   */
  readonly programs?: Readonly<Record<string, SimulatedProgram>>
}
