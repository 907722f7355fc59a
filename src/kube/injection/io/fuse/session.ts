/** Reads the kernel's requests, harms those that are to be harmed, passes the rest through, and answers. */
import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import type { Clock, Random } from '../../../../kit/index.ts'
import { type Effects, spoil, type Verdict } from '../effects.ts'
import { attributeOperations } from './attribute-operations.ts'
import { overrideAttributes } from './attribute-overrides.ts'
import { createDelays } from './delays.ts'
import { fileOperations } from './file-operations.ts'
import { nameOperations } from './name-operations.ts'
import { createNodes } from './nodes.ts'
import type { Call, Operation, Operations, Volume } from './operation.ts'
import {
  emptyAnswer,
  type FuseRequest,
  greet,
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
  /** Of `/dev/fuse`, mounted. */
  fd: number
  /** What callers see the folder as. */
  volumePath: string
  effects: Effects
  clock: Clock
  random: Random
}

const toErrno = (error: unknown): number => {
  const errno = (error as { errno?: unknown }).errno
  return typeof errno === 'number' ? Math.abs(errno) : EIO
}

/** The process's root must be the folder, its working folder `/proc`. */
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

  const answer = (unique: number, bytes: Buffer, errno = 0): void => {
    try {
      writeSync(fd, sealAnswer(bytes, unique, errno))
    } catch {
      // ENOENT: the caller was killed meanwhile; ENODEV: the mount is gone, which the next read tells.
    }
  }
  const fail = (unique: number, errno: number): void => answer(unique, emptyAnswer(), errno)

  const toFullPath = (path: string): string =>
    `${volumePath}${path === '/' ? '' : Buffer.from(path, 'latin1').toString()}` || '/'

  const pathsOf = (operation: Operation, call: Call): string[] => {
    const own = operation.names?.(call).map((name) => nodes.childPath(call.node, name).toString('latin1'))
    const others = operation
      .others?.(call)
      .map(({ nodeId, name }) => nodes.childPath(nodes.get(nodeId), name).toString('latin1'))
    return [...(own ?? [nodes.pathOf(call.node)]), ...(others ?? [])].map(toFullPath)
  }

  let inFlight = 0
  const flying = async (outcome: Promise<Buffer>): Promise<Buffer> => {
    inFlight += 1
    try {
      return await outcome
    } finally {
      inFlight -= 1
    }
  }

  const perform = async (operation: Operation, call: Call, verdict: Verdict): Promise<void> => {
    try {
      if (call.opcode === Opcode.WRITE)
        for (const mistake of verdict.mistakes) spoil(call.body.subarray(40), mistake, random)
      // Without a wait where there is nothing to wait for: the order of requests stays.
      const outcome = operation.run(call)
      const bytes = outcome instanceof Promise ? await flying(outcome) : outcome
      if (operation.attributesAt !== undefined)
        overrideAttributes(bytes, operation.attributesAt, verdict.attributes)
      if (call.opcode === Opcode.READ)
        for (const mistake of verdict.mistakes) spoil(bytes.subarray(OUT_HEADER), mistake, random)
      answer(call.unique, bytes)
    } catch (error) {
      fail(call.unique, toErrno(error))
    }
  }

  const proceed = (operation: Operation, call: Call, verdict: Verdict): void => {
    if (verdict.errno === undefined || operation.always === true) void perform(operation, call, verdict)
    else fail(call.unique, verdict.errno)
  }

  const judge = (operation: Operation, call: Call): void => {
    const verdict = effects.judge(operation.method, () => pathsOf(operation, call))
    const go = (): void => proceed(operation, call, verdict)
    if (verdict.delayMs === 0) go()
    else
      delays.hold(call, verdict, (waited) => {
        if (waited || operation.always === true) go()
        else fail(call.unique, EINTR)
      })
  }

  const serve = (request: FuseRequest): void => {
    try {
      const operation = operations[request.opcode]
      if (operation === undefined) fail(request.unique, ENOSYS)
      else judge(operation, { ...request, node: nodes.get(request.nodeId) })
    } catch (error) {
      fail(request.unique, toErrno(error))
    }
  }

  const forgetAll = (body: Buffer): void => {
    for (let at = 8; at < 8 + body.readUInt32LE(0) * 16; at += 16)
      nodes.forget(u64(body, at), u64(body, at + 8))
  }

  const dispatch = (request: FuseRequest): void => {
    const { opcode, unique, nodeId, body } = request
    if (opcode === Opcode.INIT) {
      const greeting = greet(body)
      if (greeting.direct) openFlags = FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES
      answer(unique, greeting.answer)
    } else if (opcode === Opcode.FORGET) nodes.forget(nodeId, u64(body, 0))
    else if (opcode === Opcode.BATCH_FORGET) forgetAll(body)
    else if (opcode === Opcode.INTERRUPT) delays.interrupt(u64(body, 0))
    else if (opcode === Opcode.DESTROY) answer(unique, emptyAnswer())
    else serve(request)
  }

  return {
    /** Answers all who wait because of this fault; without one, all. */
    release: delays.release,
    /** Serves until the kernel lets go of the mount. */
    run: () =>
      readRequests(
        fd,
        clock,
        (bytes) => dispatch(parseRequest(bytes)),
        () => inFlight === 0,
      ),
  }
}
