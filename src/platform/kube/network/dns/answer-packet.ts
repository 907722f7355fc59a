/** Decodes a DNS query and encodes its answer within the size limit of the transport. */
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
import { failure, type Question, RCODE, type Resolution } from '#platform/kube/connectivity'

/** The limit for clients without EDNS. */
const DEFAULT_UDP_BYTES = 512
const MAX_TCP_BYTES = 65_535
/** The upper limit of the size that a client may request. */
const MAX_UDP_BYTES = 4096
const BAD_VERSION = 1

export type Transport = 'udp' | 'tcp'

const tryDecode = (bytes: Uint8Array): DecodedPacket | undefined => {
  try {
    return decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch {
    return undefined
  }
}

const extensionOf = (query: DecodedPacket): OptAnswer | undefined =>
  query.additionals?.find((record) => record.type === 'OPT')

const limitOf = (transport: Transport, extension: OptAnswer | undefined): number => {
  if (transport === 'tcp') return MAX_TCP_BYTES
  return Math.min(MAX_UDP_BYTES, Math.max(DEFAULT_UDP_BYTES, extension?.udpPayloadSize ?? 0))
}

const resolutionOf = (query: DecodedPacket, resolve: (question: Question) => Resolution): Resolution => {
  const { questions = [], opcode } = query as DecodedPacket & { opcode: string }
  const [question] = questions
  if (opcode !== 'QUERY') return failure(RCODE.notImplemented)
  if (question === undefined || questions.length > 1) return failure(RCODE.formatError)
  if (question.class !== 'IN') return failure(RCODE.refused)
  return resolve(question)
}

/** Drops additional records first, then answers with the truncation flag, until the packet fits. */
const encodeWithin = (limit: number, packet: Packet, extension: readonly Answer[]): Buffer => {
  const { answers = [], additionals = [] } = packet
  const whole = encode({ ...packet, additionals: [...additionals, ...extension] })
  if (whole.length <= limit) return whole
  const withoutAdditionals = encode({ ...packet, additionals: [...extension] })
  if (withoutAdditionals.length <= limit) return withoutAdditionals
  const truncate = (count: number): Buffer =>
    encode({
      ...packet,
      flags: (packet.flags ?? 0) | TRUNCATED_RESPONSE,
      answers: answers.slice(0, count),
      authorities: [],
      additionals: [...extension],
    })
  let count = answers.length
  let truncated = truncate(count)
  while (truncated.length > limit && count > 0) {
    count = Math.floor((count * limit) / truncated.length)
    truncated = truncate(count)
  }
  return truncated
}

/** Returns undefined for bytes that are not a query; they get no answer. */
export const answerPacket = (
  bytes: Uint8Array,
  transport: Transport,
  resolve: (question: Question) => Resolution,
): Buffer | undefined => {
  const query = tryDecode(bytes)
  if (query === undefined || query.type !== 'query') return undefined
  const edns = extensionOf(query)
  const isUnknownVersion = edns !== undefined && edns.ednsVersion !== 0
  const resolution = isUnknownVersion ? failure(RCODE.noError) : resolutionOf(query, resolve)
  const extension: Answer[] =
    edns === undefined
      ? []
      : [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: MAX_UDP_BYTES,
            extendedRcode: isUnknownVersion ? BAD_VERSION : 0,
            ednsVersion: 0,
            flags: edns.flags,
            flag_do: edns.flag_do,
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
  return encodeWithin(limitOf(transport, edns), packet, extension)
}
