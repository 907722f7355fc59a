/** The functions of its host that xenon uses. The host is a process of the operating system or a simulated container. */
import type { ProgramTime } from '#spec'
import type { MysqlConnection } from '#world/twin/stores'

/** A request to the Kubernetes API, over TLS. */
export interface ApiRequest {
  readonly host: string
  readonly port: number
  readonly method: string
  /** The path with the query. */
  readonly target: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** The ports of the two programs of a pod. */
export interface PodPorts {
  readonly xenon: number
  readonly mysql: number
}

/** All calls with a signal reject when it aborts. */
export interface XenonHost {
  readonly time: ProgramTime
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly hostname: string
  /** By default, the ports are the same in all pods. */
  portsOf?(pod: string): PodPorts
  /** Aborts when the program must end. */
  readonly termination: AbortSignal
  write(text: string): void
  /** Throws if the file cannot be read. */
  readText(path: string): string
  /** Answers requests of one line, each on a connection of its own, with one line. Rejects if the port is in use. */
  listen(port: number, answer: (request: string) => string): Promise<{ close(): void }>
  /** Sends a request of one line, and resolves with the answer. */
  requestLine(host: string, port: number, request: string, signal: AbortSignal): Promise<string>
  /** Connects as root to the MySQL server of this pod. */
  openMysql(port: number, signal: AbortSignal): Promise<MysqlConnection>
  requestApi(
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string }>
}
