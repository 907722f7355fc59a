/** The responses of a Nacos server in the format of its API. */
import type { KnownInstance } from './instance-table.ts'

/** Interval of client heartbeats. */
export const HEARTBEAT_MS = 5000

export const BEAT_CODE = { ok: 10_200, unknown: 20_404 } as const

export const toBeatAnswer = (isKnown: boolean): object => ({
  clientBeatInterval: HEARTBEAT_MS,
  code: isKnown ? BEAT_CODE.ok : BEAT_CODE.unknown,
  lightBeatEnabled: true,
})

export const toInstanceList = (
  service: string,
  instances: readonly KnownInstance[],
  now: number,
): object => ({
  name: `DEFAULT_GROUP@@${service}`,
  groupName: 'DEFAULT_GROUP',
  clusters: '',
  cacheMillis: 10_000,
  hosts: instances.map(({ host, port, healthy }) => ({
    instanceId: `${host}#${port}#DEFAULT#DEFAULT_GROUP@@${service}`,
    ip: host,
    port,
    weight: 1,
    healthy,
    enabled: true,
    ephemeral: true,
    clusterName: 'DEFAULT',
    serviceName: `DEFAULT_GROUP@@${service}`,
    metadata: { 'preserved.register.source': 'SPRING_CLOUD' },
  })),
  lastRefTime: now,
  checksum: '',
  allIPs: false,
  reachProtectionThreshold: false,
  valid: true,
})

export const toServiceList = (names: readonly string[], page: number, size: number): object => ({
  count: names.length,
  doms: names.slice((page - 1) * size, page * size),
})
