/** Settings of the kernel that each network namespace has for itself. */
import { existsSync, writeFileSync } from 'node:fs'
import type { NetworkNamespace } from '../../../linux/index.ts'

/** Names are paths below /proc/sys/net. */
export const writeSettings = (
  namespace: NetworkNamespace,
  settings: Readonly<Record<string, string>>,
): void =>
  namespace.inside(() => {
    for (const [name, value] of Object.entries(settings)) {
      // A kernel may be without it, and then needs no telling.
      if (name.startsWith('ipv6/') && !existsSync('/proc/sys/net/ipv6')) continue
      writeFileSync(`/proc/sys/net/${name}`, value)
    }
  })
