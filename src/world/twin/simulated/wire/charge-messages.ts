/** Charges a program the CPU time of its messages: encoding, parsing, and calls of the operating system. */
import type {
  AcceptConnection,
  ProgramConnection,
  ProgramCpu,
  ProgramHost,
  ProgramMessage,
  ProgramNetwork,
} from '#spec'

/** What protocols need of the host of a program. */
export type ProtocolHost = Pick<ProgramHost, 'time' | 'cpu' | 'memory' | 'files' | 'random' | 'network'>

/** The CPU time of one request and its response, in milliseconds. */
export interface MessageCost {
  readonly server: number
  readonly client: number
}

/** A stream of bytes keeps a request without bytes open, which is no message of its protocol. */
const isCharged = ({ bytes }: ProgramMessage): boolean => bytes > 0

class ChargedConnection implements ProgramConnection {
  readonly #connection: ProgramConnection
  readonly #cpu: ProgramCpu
  readonly #costMs: number

  constructor(connection: ProgramConnection, cpu: ProgramCpu, costMs: number) {
    this.#connection = connection
    this.#cpu = cpu
    this.#costMs = costMs
  }

  get address(): string {
    return this.#connection.address
  }

  get isClosed(): boolean {
    return this.#connection.isClosed
  }

  /** Charged at the response, because the connection can end while a request waits for the CPU. */
  async exchange(request: ProgramMessage): Promise<ProgramMessage> {
    const response = await this.#connection.exchange(request)
    if (isCharged(request)) await this.#cpu.use(this.#costMs)
    return response
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }

  close(): void {
    this.#connection.close()
  }
}

const chargeRequests =
  (accept: AcceptConnection, cpu: ProgramCpu, costMs: number): AcceptConnection =>
  (connection) => {
    const answer = accept(connection)
    return async (request) => {
      if (isCharged(request)) await cpu.use(costMs)
      return answer(request)
    }
  }

/** Returns a host whose connections cost CPU time. */
export const chargeMessages = (host: ProtocolHost, { server, client }: MessageCost): ProtocolHost => {
  const { time, cpu, memory, files, random, network } = host
  const charged: ProgramNetwork = {
    address: network.address,
    listen: (port, accept) => network.listen(port, chargeRequests(accept, cpu, server)),
    lookup: (name) => network.lookup(name),
    connect: async (name, port, signal) =>
      new ChargedConnection(await network.connect(name, port, signal), cpu, client),
  }
  return { time, cpu, memory, files, random, network: charged }
}
