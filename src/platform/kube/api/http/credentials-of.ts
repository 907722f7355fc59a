/** Reads the credentials of a request: its bearer token and the client certificate of its connection. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { defined } from '#kit'
import type { Credentials } from '#platform/kube/ports'

/** The token of an authorization header; empty if it has none. */
export const bearerTokenOf = (authorization: string | undefined): string =>
  /^bearer (.*)$/i.exec(authorization ?? '')?.[1]?.trim() ?? ''

/** The subject of a client certificate that the cluster's authority has signed. */
const certificateSubject = (request: IncomingMessage): Credentials['certificate'] => {
  const socket = request.socket as Partial<TLSSocket>
  const subject = socket.authorized === true ? socket.getPeerCertificate?.().subject : undefined
  if (subject?.CN === undefined) return undefined
  return {
    commonName: [subject.CN].flat()[0]!,
    organizations: subject.O === undefined ? [] : [subject.O].flat(),
  }
}

export const credentialsOf = (request: IncomingMessage): Credentials => {
  const token = bearerTokenOf(request.headers.authorization)
  const subject = certificateSubject(request)
  return {
    ...(token === '' ? {} : { bearerToken: token }),
    ...defined({ certificate: subject }),
  }
}
