/** Validates the volume mounts and devices of a container. */
import type { Container, Volume, VolumeDevice, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  notFoundField,
  notSupported,
  required,
} from '#platform/kube/meta'
import { validateDescendingPath, validateNoBacksteps } from '../../validation/path-validation.ts'

type Volumes = ReadonlyMap<string, Volume>

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']

const validatePropagation = (mount: VolumeMount, container: Container, field: string): FieldError[] => {
  const mode = mount.mountPropagation
  if (mode === undefined) return []
  if (!PROPAGATIONS.includes(mode)) return [notSupported(field, mode, PROPAGATIONS)]
  return mode === 'Bidirectional' && container.securityContext?.privileged !== true
    ? [forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers')]
    : []
}

const validateSubPaths = (
  { subPath = '', subPathExpr = '' }: VolumeMount,
  itemField: string,
  listField: string,
) => {
  const errors: FieldError[] = []
  if (subPath !== '') errors.push(...validateDescendingPath(subPath, `${listField}.subPath`))
  if (subPathExpr === '') return errors
  if (subPath !== '')
    errors.push(
      invalid(`${itemField}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
    )
  return [...errors, ...validateDescendingPath(subPathExpr, `${listField}.subPathExpr`)]
}

const validateMounts = (container: Container, volumes: Volumes, listField: string): FieldError[] => {
  const paths = new Set<string>()
  const devices = container.volumeDevices ?? []
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const itemField = `${listField}[${index}]`
    const { name = '', mountPath = '' } = mount
    const errors: FieldError[] = []
    if (name === '') errors.push(required(`${itemField}.name`))
    if (!volumes.has(name)) errors.push(notFoundField(`${itemField}.name`, name))
    if (mountPath === '') errors.push(required(`${itemField}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalid(`${itemField}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    if (devices.some((device) => device.name === name))
      errors.push(invalid(`${itemField}.name`, name, 'must not already exist in volumeDevices'))
    if (devices.some(({ devicePath }) => devicePath === mountPath))
      errors.push(
        invalid(`${itemField}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'),
      )
    return [
      ...errors,
      ...validateSubPaths(mount, itemField, listField),
      ...validatePropagation(mount, container, `${listField}.mountPropagation`),
    ]
  })
}

const validateDevices = (container: Container, volumes: Volumes, listField: string): FieldError[] => {
  const names = new Set<string>()
  const paths = new Set<string>()
  const mounts = container.volumeMounts ?? []
  return (container.volumeDevices ?? []).flatMap(
    ({ name = '', devicePath = '' }: Partial<VolumeDevice>, index) => {
      const itemField = `${listField}[${index}]`
      const volume = volumes.get(name)
      const errors: FieldError[] = []
      if (name === '') errors.push(required(`${itemField}.name`))
      if (names.has(name)) errors.push(invalid(`${itemField}.name`, name, 'must be unique'))
      if (volume === undefined) errors.push(notFoundField(`${itemField}.name`, name))
      else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
        errors.push(
          invalid(
            `${itemField}.name`,
            name,
            'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
          ),
        )
      if (devicePath === '') errors.push(required(`${itemField}.devicePath`))
      if (paths.has(devicePath)) errors.push(invalid(`${itemField}.devicePath`, devicePath, 'must be unique'))
      if (validateNoBacksteps(devicePath, itemField).length > 0)
        errors.push(invalid(`${itemField}.devicePath`, devicePath, "can not contain backsteps ('..')"))
      if (mounts.some((mount) => mount.name === name))
        errors.push(invalid(`${itemField}.name`, name, 'must not already exist in volumeMounts'))
      if (mounts.some(({ mountPath }) => mountPath === devicePath))
        errors.push(
          invalid(`${itemField}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'),
        )
      names.add(name)
      paths.add(devicePath)
      return errors
    },
  )
}

export const validateVolumeMounts = (container: Container, volumes: Volumes, field: string): FieldError[] => [
  ...validateMounts(container, volumes, `${field}.volumeMounts`),
  ...validateDevices(container, volumes, `${field}.volumeDevices`),
]
