/** Writes sysctls of a network namespace. */
import { existsSync, writeFileSync } from 'node:fs'
import type { NetworkNamespace } from '#machine/linux'

/** Names are paths below /proc/sys/net. */
export const writeSettings = (
  namespace: NetworkNamespace,
  settings: Readonly<Record<string, string>>,
): void =>
  namespace.inside(() => {
    for (const [name, value] of Object.entries(settings)) {
      // The kernel may not support IPv6.
      if (name.startsWith('ipv6/') && !existsSync('/proc/sys/net/ipv6')) continue
      writeFileSync(`/proc/sys/net/${name}`, value)
    }
  })
