/** A certificate authority that issues server and client certificates. */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import type { Clock } from '#kit'
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts'

/** A certificate and its key, both PEM. */
export interface KeyedCertificate {
  certificate: string
  key: string
}

export interface CertificateAuthority extends KeyedCertificate {
  /** Issues a server certificate for these host names and IP addresses. */
  issueServer(names: readonly string[]): KeyedCertificate
  /** Issues a client certificate: CN is the user, and each O is a group. */
  issueClient(user: string, groups?: readonly string[]): KeyedCertificate
}

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const AUTHORITY_YEARS = 10

const COMMON_NAME = objectIdentifier('2.5.4.3')
const ORGANIZATION = objectIdentifier('2.5.4.10')
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))
const SERVER_AUTH = objectIdentifier('1.3.6.1.5.5.7.3.1')
const CLIENT_AUTH = objectIdentifier('1.3.6.1.5.5.7.3.2')

/** Bits of keyUsage, counted from the left. */
const SIGN_CERTIFICATES_AND_LISTS = bitString(Buffer.from([0b0000_0110]), 1)
const DIGITAL_SIGNATURE = bitString(Buffer.from([0b1000_0000]), 7)

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value))

const basicConstraints = (isAuthority: boolean): Buffer =>
  extension('2.5.29.19', true, isAuthority ? sequence(boolean(true)) : sequence())
const keyUsage = (bits: Buffer): Buffer => extension('2.5.29.15', true, bits)
const extendedKeyUsage = (purpose: Buffer): Buffer => extension('2.5.29.37', false, sequence(purpose))
const subjectKeyId = (id: Buffer): Buffer => extension('2.5.29.14', false, octetString(id))
const authorityKeyId = (id: Buffer): Buffer => extension('2.5.29.35', false, sequence(implicit(0, id)))

const ipv4Bytes = (address: string): number[] => address.split('.').map(Number)

const ipv6Bytes = (address: string): number[] => {
  const embedded = /:([^:]*\.[^:]*)$/.exec(address)?.[1]
  const tail = embedded === undefined ? [] : ipv4Bytes(embedded)
  const text = embedded === undefined ? address : address.slice(0, -embedded.length).replace(/([^:]):$/, '$1')
  const toBytes = (part: string): number[] =>
    part === ''
      ? []
      : part.split(':').flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff])
  const [left = '', right] = text.split('::')
  const [before, after] = [toBytes(left), [...toBytes(right ?? ''), ...tail]]
  return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after]
}

const alternativeNames = (names: readonly string[]): Buffer =>
  extension(
    '2.5.29.17',
    false,
    sequence(
      ...names.map((name) => {
        if (isIPv4(name)) return implicit(7, Buffer.from(ipv4Bytes(name)))
        return isIPv6(name) ? implicit(7, Buffer.from(ipv6Bytes(name))) : implicit(2, Buffer.from(name))
      }),
    ),
  )

const distinguishedName = (commonName: string, organizations: readonly string[] = []): Buffer =>
  sequence(
    ...organizations.map((organization) => set(sequence(ORGANIZATION, utf8String(organization)))),
    set(sequence(COMMON_NAME, utf8String(commonName))),
  )

const toPem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n')}\n-----END CERTIFICATE-----\n`

/** Random and positive, and within the 20 bytes that clients accept. */
const createSerialNumber = (): Buffer => {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes
}

interface CertificateRequest {
  issuer: Buffer
  subject: Buffer
  publicKey: KeyObject
  signingKey: KeyObject
  validity: Buffer
  extensions: readonly Buffer[]
}

const signCertificate = ({
  issuer,
  subject,
  publicKey,
  signingKey,
  validity,
  extensions,
}: CertificateRequest): string => {
  const version3 = explicit(0, integer(Buffer.from([2])))
  const body = sequence(
    version3,
    integer(createSerialNumber()),
    ECDSA_WITH_SHA256,
    issuer,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  )
  return toPem(sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, signingKey))))
}

const keyIdOf = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest()

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string

export const createCertificateAuthority = (clock: Clock, name = 'kubernetes'): CertificateAuthority => {
  const { publicKey, privateKey } = createKeys()
  const issuer = distinguishedName(name)
  const keyId = keyIdOf(privateKey)
  // Allows for clients whose clocks are behind.
  const start = clock.now() - HOUR_MS
  const end = start + AUTHORITY_YEARS * YEAR_MS

  const issue = (
    subject: Buffer,
    purpose: Buffer,
    extraExtensions: readonly Buffer[] = [],
  ): KeyedCertificate => {
    const keys = createKeys()
    const validFrom = Math.max(start, clock.now() - HOUR_MS)
    const certificate = signCertificate({
      issuer,
      subject,
      publicKey: keys.publicKey,
      signingKey: privateKey,
      validity: sequence(time(validFrom), time(Math.min(validFrom + YEAR_MS, end))),
      extensions: [
        keyUsage(DIGITAL_SIGNATURE),
        extendedKeyUsage(purpose),
        basicConstraints(false),
        authorityKeyId(keyId),
        ...extraExtensions,
      ],
    })
    return { certificate, key: privatePem(keys.privateKey) }
  }

  return {
    certificate: signCertificate({
      issuer,
      subject: issuer,
      publicKey,
      signingKey: privateKey,
      validity: sequence(time(start), time(end)),
      extensions: [keyUsage(SIGN_CERTIFICATES_AND_LISTS), basicConstraints(true), subjectKeyId(keyId)],
    }),
    key: privatePem(privateKey),
    issueServer: (names) =>
      issue(distinguishedName('kube-apiserver'), SERVER_AUTH, [alternativeNames(names)]),
    issueClient: (user, groups = []) => issue(distinguishedName(user, groups), CLIENT_AUTH),
  }
}
