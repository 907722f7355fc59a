/** getent: looks up the addresses of hosts. */
import type { PodProgram } from '../pod-program.ts'
import { codeOf } from './request.ts'

export const getent: PodProgram = async (call) => {
  const [database, name, ...rest] = call.args
  if (!/^(?:hosts|ahosts|ahostsv4)$/.test(database ?? '') || name === undefined || rest.length > 0)
    call.refuse()
  try {
    const addresses = await call.host.network.lookup(name ?? '')
    for (const address of addresses) {
      if (database === 'hosts') call.out(`${address.padEnd(15)} ${name}\n`)
      else call.refuse()
    }
    return addresses.length === 0 ? 2 : 0
  } catch (error) {
    codeOf(error)
    return 2
  }
}
