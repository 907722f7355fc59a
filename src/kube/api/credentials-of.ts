/** What a connection and a request bring along to prove who is there. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Credentials } from '../ports/index.ts'

const bearerToken = (request: IncomingMessage): string =>
  /^bearer (.*)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? ''

/** The subject of a certificate that one of our authorities has signed. */
const certificate = (request: IncomingMessage): Credentials['certificate'] => {
  const socket = request.socket as Partial<TLSSocket>
  const subject = socket.authorized === true ? socket.getPeerCertificate?.().subject : undefined
  if (subject?.CN === undefined) return undefined
  return {
    commonName: [subject.CN].flat()[0]!,
    organizations: subject.O === undefined ? [] : [subject.O].flat(),
  }
}

export const credentialsOf = (request: IncomingMessage): Credentials => {
  const token = bearerToken(request)
  const shown = certificate(request)
  return {
    ...(token === '' ? {} : { bearerToken: token }),
    ...(shown === undefined ? {} : { certificate: shown }),
  }
}
