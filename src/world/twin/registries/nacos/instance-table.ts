/** The instances of a Nacos server. An instance without heartbeats becomes unhealthy and is then deleted. */

const UNHEALTHY_AFTER_MS = 15_000
const DELETE_AFTER_MS = 30_000

export interface Instance {
  readonly service: string
  readonly host: string
  readonly port: number
}

export interface KnownInstance extends Instance {
  healthy: boolean
  lastHeartbeatAt: number
}

const keyOf = ({ host, port }: Instance): string => `${host}:${port}`

export class InstanceTable {
  private readonly services = new Map<string, Map<string, KnownInstance>>()
  private readonly onChange: (service: string) => void

  constructor(onChange: (service: string) => void) {
    this.onChange = onChange
  }

  /** Adds an instance or records its heartbeat; the instance is then healthy. */
  put(instance: Instance, now: number): void {
    const { service, host, port } = instance
    const instances = this.services.get(service) ?? new Map<string, KnownInstance>()
    const previous = instances.get(keyOf(instance))
    if (previous) previous.lastHeartbeatAt = now
    if (previous?.healthy) return
    this.services.set(service, instances)
    instances.set(keyOf(instance), { service, host, port, healthy: true, lastHeartbeatAt: now })
    this.onChange(service)
  }

  has(instance: Instance): boolean {
    return this.services.get(instance.service)?.has(keyOf(instance)) ?? false
  }

  remove(instance: Instance): void {
    const instances = this.services.get(instance.service)
    if (!instances?.delete(keyOf(instance))) return
    if (instances.size === 0) this.services.delete(instance.service)
    this.onChange(instance.service)
  }

  /** Updates silent instances, and returns the deleted ones. */
  expire(now: number): readonly KnownInstance[] {
    const deleted: KnownInstance[] = []
    for (const instance of this.all()) {
      const silentMs = now - instance.lastHeartbeatAt
      if (silentMs >= DELETE_AFTER_MS) {
        deleted.push(instance)
        this.remove(instance)
      } else if (silentMs >= UNHEALTHY_AFTER_MS && instance.healthy) {
        instance.healthy = false
        this.onChange(instance.service)
      }
    }
    return deleted
  }

  names(): readonly string[] {
    return [...this.services.keys()].sort()
  }

  list(service: string): readonly KnownInstance[] {
    return [...(this.services.get(service)?.values() ?? [])]
  }

  all(): readonly KnownInstance[] {
    return [...this.services.values()].flatMap((instances) => [...instances.values()])
  }
}
