/** A server that serves one connection at a time, with one request each, like the server of Python's standard library. */
import type { AcceptedConnection, ProgramHost, ProgramMessage } from '#spec'

/** A connection that waits for its turn, or whose request the server waits for. */
class Waiting {
  /** Undefined if the connection ends before its request arrives. */
  readonly request: Promise<ProgramMessage | undefined>
  readonly answer: Promise<ProgramMessage>
  readonly connection: AcceptedConnection
  readonly #onRequest: (request: ProgramMessage | undefined) => void
  readonly #resolve: (answer: ProgramMessage) => void

  constructor(connection: AcceptedConnection) {
    const request = Promise.withResolvers<ProgramMessage | undefined>()
    const answer = Promise.withResolvers<ProgramMessage>()
    this.connection = connection
    this.request = request.promise
    this.answer = answer.promise
    this.#onRequest = request.resolve
    this.#resolve = answer.resolve
    connection.onClose(() => request.resolve(undefined))
  }

  readonly receive = (request: ProgramMessage): Promise<ProgramMessage> => {
    this.#onRequest(request)
    return this.answer
  }

  send(answer: ProgramMessage): void {
    this.#resolve(answer)
  }
}

export interface ServeOptions {
  readonly port: number
  /** Runs for each connection before its request is read. */
  readonly beforeRequest: () => Promise<void>
  /** Returns undefined for a request that is not HTTP. */
  respond(request: ProgramMessage): Promise<ProgramMessage | undefined>
}

/** Throws an error of code `EADDRINUSE` if the port is in use. */
export const serveOneByOne = (
  { network, time }: ProgramHost,
  { port, beforeRequest, respond }: ServeOptions,
): void => {
  const serve = async (waiting: Waiting): Promise<void> => {
    await beforeRequest()
    const request = await waiting.request
    const answer = request === undefined ? undefined : await respond(request)
    if (answer !== undefined) waiting.send(answer)
    // The answer is sent when the current reactions have ended.
    time.after(0, () => waiting.connection.close())
  }
  let last = Promise.resolve()
  network.listen(port, (connection) => {
    const waiting = new Waiting(connection)
    last = last.then(() => serve(waiting))
    return waiting.receive
  })
}
