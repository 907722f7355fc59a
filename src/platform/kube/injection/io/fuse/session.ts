/** Serves the kernel's FUSE requests: passes them through to the folder, with the injected faults. */
import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import type { Clock, Random } from '#kit'
import { type CallEffects, corrupt, type Effects } from '#platform/kube/io-effects'
import { attributeOperations } from './attribute-operations.ts'
import { createDelays } from './delays.ts'
import { fileOperations } from './file-operations.ts'
import { nameOperations } from './name-operations.ts'
import { createNodes, type Nodes } from './nodes.ts'
import type { Call, Operation, Operations, Volume } from './operation.ts'
import { overrideAttributes } from './override-attributes.ts'
import {
  emptyAnswer,
  type FuseRequest,
  negotiate,
  Opcode,
  OUT_HEADER,
  parseRequest,
  sealAnswer,
  u64,
} from './protocol.ts'
import { readRequests } from './read-requests.ts'

const FOPEN_DIRECT_IO = 1
const FOPEN_PARALLEL_DIRECT_WRITES = 1 << 6
const { EINTR, EIO, ENOSYS } = constants.errno

export interface SessionOptions {
  /** The descriptor of `/dev/fuse` with which the volume is mounted. */
  fd: number
  /** The path at which callers see the folder. */
  volumePath: string
  effects: Effects
  clock: Clock
  random: Random
}

const toErrno = (error: unknown): number => {
  const errno = (error as { errno?: unknown }).errno
  return typeof errno === 'number' ? Math.abs(errno) : EIO
}

interface Responder {
  answer(unique: number, bytes: Buffer): void
  fail(unique: number, errno: number): void
}

const createResponder = (fd: number): Responder => {
  const send = (unique: number, bytes: Buffer, errno: number): void => {
    try {
      writeSync(fd, sealAnswer(bytes, unique, errno))
    } catch {
      // ENOENT: the caller has been killed. ENODEV: the mount is gone, which the next read reports.
    }
  }
  return {
    answer: (unique, bytes) => send(unique, bytes, 0),
    fail: (unique, errno) => send(unique, emptyAnswer(), errno),
  }
}

const toFullPath = (volumePath: string, path: string): string =>
  `${volumePath}${path === '/' ? '' : Buffer.from(path, 'latin1').toString()}` || '/'

/** Returns the paths that a call concerns, relative to the volume. */
const pathsOf = (nodes: Nodes, operation: Operation, call: Call): string[] => {
  const ownPaths = operation.names?.(call).map((name) => nodes.childPath(call.node, name).toString('latin1'))
  const others = operation
    .otherNames?.(call)
    .map(({ nodeId, name }) => nodes.childPath(nodes.get(nodeId), name).toString('latin1'))
  return [...(ownPaths ?? [nodes.pathOf(call.node)]), ...(others ?? [])]
}

interface CallParts extends Responder, Pick<SessionOptions, 'volumePath' | 'effects' | 'random'> {
  nodes: Nodes
  delays: ReturnType<typeof createDelays>
}

/** Runs calls with their faults. `onInFlight` is called with 1 and -1 around each asynchronous call. */
const createCalls = (parts: CallParts, onInFlight: (change: 1 | -1) => void) => {
  const { volumePath, effects, random, nodes, delays, answer, fail } = parts

  const track = async (outcome: Promise<Buffer>): Promise<Buffer> => {
    onInFlight(1)
    try {
      return await outcome
    } finally {
      onInFlight(-1)
    }
  }

  const perform = async (operation: Operation, call: Call, callEffects: CallEffects): Promise<void> => {
    try {
      if (call.opcode === Opcode.WRITE)
        for (const mistake of callEffects.mistakes) corrupt(call.body.subarray(40), mistake, random)
      // Synchronous operations are not awaited, which keeps the order of requests.
      const outcome = operation.run(call)
      const bytes = outcome instanceof Promise ? await track(outcome) : outcome
      if (operation.attributesAt !== undefined)
        overrideAttributes(bytes, operation.attributesAt, callEffects.attributes)
      if (call.opcode === Opcode.READ)
        for (const mistake of callEffects.mistakes) corrupt(bytes.subarray(OUT_HEADER), mistake, random)
      answer(call.unique, bytes)
    } catch (error) {
      fail(call.unique, toErrno(error))
    }
  }

  const proceed = (operation: Operation, call: Call, callEffects: CallEffects): void => {
    if (callEffects.errno === undefined || operation.isMandatory === true)
      void perform(operation, call, callEffects)
    else fail(call.unique, callEffects.errno)
  }

  const handle = (operation: Operation, call: Call): void => {
    const callEffects = effects.effectsOn(operation.method, () =>
      pathsOf(nodes, operation, call).map((path) => toFullPath(volumePath, path)),
    )
    const run = (): void => proceed(operation, call, callEffects)
    if (callEffects.delayMs === 0) run()
    else
      delays.hold(call, callEffects, (waited) => {
        if (waited || operation.isMandatory === true) run()
        else fail(call.unique, EINTR)
      })
  }

  return { handle }
}

/** The root of the process must be the folder that is served, and its working folder must be `/proc`. */
export const createSession = ({ fd, volumePath, effects, clock, random }: SessionOptions) => {
  const nodes = createNodes()
  let openFlags = 0
  const volume: Volume = { nodes, openFlags: () => openFlags }
  const operations: Operations = {
    ...nameOperations(volume),
    ...attributeOperations(volume),
    ...fileOperations(volume),
  }
  const delays = createDelays(clock)

  const { answer, fail } = createResponder(fd)
  let inFlight = 0
  const calls = createCalls({ volumePath, effects, random, nodes, delays, answer, fail }, (change) => {
    inFlight += change
  })

  const serve = (request: FuseRequest): void => {
    try {
      const operation = operations[request.opcode]
      if (operation === undefined) fail(request.unique, ENOSYS)
      else calls.handle(operation, { ...request, node: nodes.get(request.nodeId) })
    } catch (error) {
      fail(request.unique, toErrno(error))
    }
  }

  const forgetAll = (body: Buffer): void => {
    for (let offset = 8; offset < 8 + body.readUInt32LE(0) * 16; offset += 16)
      nodes.forget(u64(body, offset), u64(body, offset + 8))
  }

  const dispatch = (request: FuseRequest): void => {
    const { opcode, unique, nodeId, body } = request
    if (opcode === Opcode.INIT) {
      const negotiation = negotiate(body)
      if (negotiation.direct) openFlags = FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES
      answer(unique, negotiation.answer)
    } else if (opcode === Opcode.FORGET) nodes.forget(nodeId, u64(body, 0))
    else if (opcode === Opcode.BATCH_FORGET) forgetAll(body)
    else if (opcode === Opcode.INTERRUPT) delays.interrupt(u64(body, 0))
    else if (opcode === Opcode.DESTROY) answer(unique, emptyAnswer())
    else serve(request)
  }

  return {
    /** Releases the calls that this rule delays; all calls if omitted. */
    release: delays.release,
    /** Serves until the mount is removed. */
    run: () =>
      readRequests(
        fd,
        clock,
        (bytes) => dispatch(parseRequest(bytes)),
        () => inFlight === 0,
      ),
  }
}
