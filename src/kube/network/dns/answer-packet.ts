/** From the bytes of a query to the bytes of its answer, within what the transport can carry. */
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type OptAnswer,
  type Packet,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import { failure, type Question, RCODE, type Resolution } from './resolve-question.ts'

/** What UDP carries for clients that do not say more. */
const PLAIN_UDP_BYTES = 512
const TCP_BYTES = 65_535
/** What fits into a frame everywhere; nobody gets more, whatever he says. */
const MOST_UDP_BYTES = 4096
const BAD_VERSION = 1

export type Transport = 'udp' | 'tcp'

const decoded = (bytes: Uint8Array): DecodedPacket | undefined => {
  try {
    return decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch {
    return undefined
  }
}

const extensionOf = (query: DecodedPacket): OptAnswer | undefined =>
  query.additionals?.find((record) => record.type === 'OPT')

const limitOf = (transport: Transport, extension: OptAnswer | undefined): number => {
  if (transport === 'tcp') return TCP_BYTES
  return Math.min(MOST_UDP_BYTES, Math.max(PLAIN_UDP_BYTES, extension?.udpPayloadSize ?? 0))
}

const resolutionOf = (query: DecodedPacket, resolve: (question: Question) => Resolution): Resolution => {
  const { questions = [], opcode } = query as DecodedPacket & { opcode: string }
  const [question] = questions
  if (opcode !== 'QUERY') return failure(RCODE.notImplemented)
  if (question === undefined || questions.length > 1) return failure(RCODE.formatError)
  if (question.class !== 'IN') return failure(RCODE.refused)
  return resolve(question)
}

/** Drops what does not fit: first what was not asked for, then answers, and says so. */
const encodeWithin = (limit: number, packet: Packet, extension: readonly Answer[]): Buffer => {
  const { answers = [], additionals = [] } = packet
  const whole = encode({ ...packet, additionals: [...additionals, ...extension] })
  if (whole.length <= limit) return whole
  const bare = encode({ ...packet, additionals: [...extension] })
  if (bare.length <= limit) return bare
  const cut = (count: number): Buffer =>
    encode({
      ...packet,
      flags: (packet.flags ?? 0) | TRUNCATED_RESPONSE,
      answers: answers.slice(0, count),
      authorities: [],
      additionals: [...extension],
    })
  let count = answers.length
  let shorter = cut(count)
  while (shorter.length > limit && count > 0) {
    count = Math.floor((count * limit) / shorter.length)
    shorter = cut(count)
  }
  return shorter
}

/** Nothing for what is no query at all: whoever sent it gets no answer. */
export const answerPacket = (
  bytes: Uint8Array,
  transport: Transport,
  resolve: (question: Question) => Resolution,
): Buffer | undefined => {
  const query = decoded(bytes)
  if (query === undefined || query.type !== 'query') return undefined
  const asked = extensionOf(query)
  const isUnknown = asked !== undefined && asked.ednsVersion !== 0
  const resolution = isUnknown ? failure(RCODE.noError) : resolutionOf(query, resolve)
  const extension: Answer[] =
    asked === undefined
      ? []
      : [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: MOST_UDP_BYTES,
            extendedRcode: isUnknown ? BAD_VERSION : 0,
            ednsVersion: 0,
            flags: asked.flags,
            flag_do: asked.flag_do,
            options: [],
          },
        ]
  const flags =
    resolution.rcode |
    ((query.flags ?? 0) & RECURSION_DESIRED) |
    (resolution.isAuthority ? AUTHORITATIVE_ANSWER : 0)
  const packet: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags,
    questions: query.questions ?? [],
    answers: [...resolution.answers],
    authorities: [...resolution.authorities],
    additionals: [...resolution.additionals],
  }
  return encodeWithin(limitOf(transport, asked), packet, extension)
}
