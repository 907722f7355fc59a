/** A folder on the host that no pod may reach, and common parts of pods that try to reach it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { expect } from 'vitest'
import type { KubeApi } from '#spec'

export const SECRET = 'a secret file of the host'

export interface HostSecret {
  /** Contains a file `secret`, and a folder `deep` with another one. */
  readonly folder: string
  expectUntouched(): void
  remove(): void
}

export const makeHostSecret = (): HostSecret => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-host-'))
  mkdirSync(join(folder, 'deep'))
  const files = [join(folder, 'secret'), join(folder, 'deep', 'secret')]
  for (const file of files) writeFileSync(file, SECRET)
  return {
    folder,
    expectUntouched() {
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['deep', 'deep/secret', 'secret'])
      for (const file of files) {
        expect(readFileSync(file, 'utf8')).toBe(SECRET)
        expect(statSync(file)).toMatchObject({ uid: 0, gid: 0, mode: 0o100644 })
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A volume that is removed with the pod. */
export const scratch: Partial<PodSpec> = { volumes: [{ name: 'scratch', emptyDir: {} }] }

/** A mount of the volume `scratch`. */
export const mountOf = (mountPath: string, more: object = {}): NonNullable<Container['volumeMounts']> => [
  { name: 'scratch', mountPath, ...more },
]

/** Whether the container has terminated or will never run. */
export const hasEnded = ({ status }: Pod): boolean => {
  const { terminated, waiting } = status?.containerStatuses?.[0]?.state ?? {}
  return terminated !== undefined || /Error|BackOff/.test(waiting?.reason ?? '')
}

/** Creates a persistent volume at a path of the shared disk of the nodes, and a claim; returns the volume for a pod spec. */
export const claimVolume = async (api: KubeApi, name: string, path: string): Promise<Partial<PodSpec>> => {
  const size = { storage: '1Mi' }
  const accessModes = ['ReadWriteMany']
  await api.create(
    { apiVersion: 'v1', plural: 'persistentvolumes' },
    { metadata: { name }, spec: { capacity: size, accessModes, storageClassName: '', hostPath: { path } } },
  )
  await api.create(
    { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace: 'default' },
    {
      metadata: { name },
      spec: { accessModes, storageClassName: '', volumeName: name, resources: { requests: size } },
    },
  )
  return { volumes: [{ name: 'scratch', persistentVolumeClaim: { claimName: name } }] }
}
