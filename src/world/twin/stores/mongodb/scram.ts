/** SCRAM-SHA-1 and SCRAM-SHA-256 as MongoDB uses them: client and server. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ProgramRandom } from '#spec'

export type Mechanism = 'SCRAM-SHA-1' | 'SCRAM-SHA-256'

export const MECHANISMS: readonly Mechanism[] = ['SCRAM-SHA-1', 'SCRAM-SHA-256']

const HASHES = { 'SCRAM-SHA-1': 'sha1', 'SCRAM-SHA-256': 'sha256' } as const
const SIZES = { 'SCRAM-SHA-1': 20, 'SCRAM-SHA-256': 32 } as const

/** The stored form of a password; strings are base64. */
export interface Credential {
  readonly iterationCount: number
  readonly salt: string
  readonly storedKey: string
  readonly serverKey: string
}

/** The costly and the random parts of logins. */
export interface ScramSource {
  readonly random: Pick<ProgramRandom, 'bytes'>
  /** The iterations of new credentials. */
  readonly iterations: Readonly<Record<Mechanism, number>>
  /** PBKDF2. */
  derive(secret: string, salt: Buffer, iterations: number, bytes: number, hash: string): Promise<Buffer>
}

const randomText = ({ random }: ScramSource): string => Buffer.from(random.bytes(18)).toString('base64')

const hmac = (mechanism: Mechanism, key: Buffer, text: string): Buffer =>
  createHmac(HASHES[mechanism], key).update(text).digest()

const hash = (mechanism: Mechanism, bytes: Buffer): Buffer =>
  createHash(HASHES[mechanism]).update(bytes).digest()

const xor = (left: Buffer, right: Buffer): Buffer =>
  Buffer.from(left.map((byte, index) => byte ^ right[index]!))

/** For SHA-1, MongoDB first hashes the password with the user name. */
const toSecret = (mechanism: Mechanism, user: string, password: string): string =>
  mechanism === 'SCRAM-SHA-1'
    ? createHash('md5').update(`${user}:mongo:${password}`).digest('hex')
    : password.normalize('NFKC')

/** What the salted password of a user is computed from. */
interface SaltInput {
  readonly mechanism: Mechanism
  readonly user: string
  readonly password: string
  /** In base64. */
  readonly salt: string
  readonly iterations: number
}

/** Takes about ten milliseconds of CPU by design. */
const saltPassword = ({ derive }: ScramSource, input: SaltInput): Promise<Buffer> => {
  const { mechanism, user, password, salt, iterations } = input
  const secret = toSecret(mechanism, user, password)
  return derive(secret, Buffer.from(salt, 'base64'), iterations, SIZES[mechanism], HASHES[mechanism])
}

export const createCredential = async (
  source: ScramSource,
  mechanism: Mechanism,
  user: string,
  password: string,
): Promise<Credential> => {
  const salt = Buffer.from(source.random.bytes(SIZES[mechanism] - 4)).toString('base64')
  const iterations = source.iterations[mechanism]
  const salted = await saltPassword(source, { mechanism, user, password, salt, iterations })
  return {
    iterationCount: iterations,
    salt,
    storedKey: hash(mechanism, hmac(mechanism, salted, 'Client Key')).toString('base64'),
    serverKey: hmac(mechanism, salted, 'Server Key').toString('base64'),
  }
}

const parseFields = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]))

const escapeName = (name: string): string => name.replaceAll('=', '=3D').replaceAll(',', '=2C')
const unescapeName = (name: string): string => name.replaceAll('=2C', ',').replaceAll('=3D', '=')

/** Returns the user name of the client-first message. */
export const parseUserName = (payload: string): string =>
  unescapeName(parseFields(payload.replace(/^[^,]*,[^,]*,/, '')).n ?? '')

/** The server side of one login: answers the first message, then verifies the second. */
export const createScramServer = (
  source: ScramSource,
  mechanism: Mechanism,
  credential: Credential,
  clientFirst: string,
) => {
  const bare = clientFirst.replace(/^[^,]*,[^,]*,/, '')
  const nonce = `${parseFields(bare).r}${randomText(source)}`
  const first = `r=${nonce},s=${credential.salt},i=${credential.iterationCount}`
  return {
    first,
    /** Returns the server-final message, or undefined if the proof is wrong. */
    finish(clientFinal: string): string | undefined {
      const fields = parseFields(clientFinal)
      const proof = Buffer.from(clientFinal.slice(clientFinal.lastIndexOf(',p=') + 3), 'base64')
      const message = `${bare},${first},${clientFinal.slice(0, clientFinal.lastIndexOf(',p='))}`
      const storedKey = Buffer.from(credential.storedKey, 'base64')
      if (fields.r !== nonce || proof.length !== storedKey.length) return
      const clientKey = xor(proof, hmac(mechanism, storedKey, message))
      if (!timingSafeEqual(hash(mechanism, clientKey), storedKey)) return
      const serverKey = Buffer.from(credential.serverKey, 'base64')
      return `v=${hmac(mechanism, serverKey, message).toString('base64')}`
    },
  }
}

/** Salted passwords by their inputs: the connections of a pool share the computation. */
const saltedPasswords = new Map<string, Promise<Buffer>>()

const saltOnce = (source: ScramSource, input: SaltInput): Promise<Buffer> => {
  const { mechanism, user, password, salt, iterations } = input
  const name = JSON.stringify([mechanism, user, password, salt, iterations])
  const existing = saltedPasswords.get(name)
  if (existing) return existing
  if (saltedPasswords.size > 100) saltedPasswords.clear()
  const salted = saltPassword(source, input)
  saltedPasswords.set(name, salted)
  return salted
}

/** The client side of one login. */
export const createScramClient = (
  source: ScramSource,
  mechanism: Mechanism,
  user: string,
  password: string,
) => {
  const bare = `n=${escapeName(user)},r=${randomText(source)}`
  return {
    first: `n,,${bare}`,
    /** Returns the client-final message, and the expected answer of the server. */
    async finish(serverFirst: string): Promise<{ readonly message: string; readonly expected: string }> {
      const { r = '', s: salt = '', i = '0' } = parseFields(serverFirst)
      const salted = await saltOnce(source, { mechanism, user, password, salt, iterations: Number(i) })
      const clientKey = hmac(mechanism, salted, 'Client Key')
      const withoutProof = `c=biws,r=${r}`
      const message = `${bare},${serverFirst},${withoutProof}`
      const proof = xor(clientKey, hmac(mechanism, hash(mechanism, clientKey), message))
      const serverKey = hmac(mechanism, salted, 'Server Key')
      return {
        message: `${withoutProof},p=${proof.toString('base64')}`,
        expected: `v=${hmac(mechanism, serverKey, message).toString('base64')}`,
      }
    },
  }
}
