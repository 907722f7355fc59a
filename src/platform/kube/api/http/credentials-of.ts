/** Reads the credentials of a request: its bearer token and the client certificate of its connection. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Credentials } from '#platform/kube/ports'

const bearerToken = (request: IncomingMessage): string =>
  /^bearer (.*)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? ''

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
  const token = bearerToken(request)
  const subject = certificateSubject(request)
  return {
    ...(token === '' ? {} : { bearerToken: token }),
    ...(subject === undefined ? {} : { certificate: subject }),
  }
}
