/** The instances a Nacos server knows. They must be heard of again and again: who is silent is ill, then gone. */

const ILL_AFTER_MS = 15_000
const GONE_AFTER_MS = 30_000

export interface Instance {
  readonly service: string
  readonly host: string
  readonly port: number
}

export interface KnownInstance extends Instance {
  healthy: boolean
  heardAt: number
}

const keyOf = ({ host, port }: Instance): string => `${host}:${port}`

export class InstanceTable {
  private readonly services = new Map<string, Map<string, KnownInstance>>()
  private readonly onChange: (service: string) => void

  constructor(onChange: (service: string) => void) {
    this.onChange = onChange
  }

  /** It is there and well from now on. */
  put(instance: Instance, now: number): void {
    const { service, host, port } = instance
    const known = this.services.get(service) ?? new Map<string, KnownInstance>()
    const before = known.get(keyOf(instance))
    if (before) before.heardAt = now
    if (before?.healthy) return
    this.services.set(service, known)
    known.set(keyOf(instance), { service, host, port, healthy: true, heardAt: now })
    this.onChange(service)
  }

  has(instance: Instance): boolean {
    return this.services.get(instance.service)?.has(keyOf(instance)) ?? false
  }

  remove(instance: Instance): void {
    const known = this.services.get(instance.service)
    if (!known?.delete(keyOf(instance))) return
    if (known.size === 0) this.services.delete(instance.service)
    this.onChange(instance.service)
  }

  /** Those that were not heard of for too long; the removed are told. */
  expire(now: number): readonly KnownInstance[] {
    const gone: KnownInstance[] = []
    for (const instance of this.all()) {
      const silentMs = now - instance.heardAt
      if (silentMs >= GONE_AFTER_MS) {
        gone.push(instance)
        this.remove(instance)
      } else if (silentMs >= ILL_AFTER_MS && instance.healthy) {
        instance.healthy = false
        this.onChange(instance.service)
      }
    }
    return gone
  }

  names(): readonly string[] {
    return [...this.services.keys()].sort()
  }

  of(service: string): readonly KnownInstance[] {
    return [...(this.services.get(service)?.values() ?? [])]
  }

  all(): readonly KnownInstance[] {
    return [...this.services.values()].flatMap((known) => [...known.values()])
  }
}
