/** Where an upstream is, as its settings say it. */
import { CallFailure } from '../ports/index.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** `host:port`, of URLs as well; the usual port where there is none. */
export const parseAddress = (text: string, usualPort: number): Address => {
  const bare = text
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?].*$/, '')
  const mark = bare.lastIndexOf(':')
  const port = mark < 0 ? usualPort : Number(bare.slice(mark + 1))
  const host = mark < 0 ? bare : bare.slice(0, mark)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CallFailure('refused', `dial tcp: address ${text}: invalid port`)
  if (host === '') throw new CallFailure('name', `dial tcp: address ${text}: missing host`)
  return { host, port }
}
