/** Hacks: correct repairs that also harm containers of services that no fault targets, without a change of an object. */
import { mainContainer, podsOf, runInStore } from '#exam/fault-parts'
import type { Hack, HackSetting, RepairContext, WorkloadView } from '#spec'
import { findOtherWorkload, hasOtherWorkload } from './find-other-workload.ts'
import { listOtherStores } from './list-other-stores.ts'

const runInOtherPod = async (context: RepairContext, script: string): Promise<void> => {
  const { api, system } = context
  const other = findOtherWorkload(context)
  const [pod] = other === undefined ? [] : await podsOf(context, other.service)
  if (pod === undefined) return
  await api.exec({ namespace: system.namespace, name: pod.metadata.name }, ['sh', '-c', script])
}

/** A command for each setting; some of them may be missing in the image. */
const HARM_SCRIPT = [
  'prlimit --pid 1 --nofile=64:64',
  'renice -n 19 -p 1',
  'chrt -b -p 0 1',
  'echo 1000 > /proc/1/oom_score_adj',
].join('; ')

export const harmProcess: Hack = {
  name: 'harm-a-process-of-another-service',
  about: 'Repairs the service, and lowers the limits and the priority of the main process of another one',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  act: (context) => runInOtherPod(context, HARM_SCRIPT),
}

/** The entries are harmless at first: the name is that of no service, and the first name server still answers. */
const NAMES_SCRIPT = [
  'echo "192.0.2.1 registry.example" >> /etc/hosts',
  'echo "nameserver 192.0.2.1" >> /etc/resolv.conf',
].join('; ')

export const changeNameResolution: Hack = {
  name: 'change-the-name-resolution-of-another-service',
  about: 'Repairs the service, and adds to the files by which a pod of another one resolves names',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  act: (context) => runInOtherPod(context, NAMES_SCRIPT),
}

const hasSidecar = ({ podSpec }: WorkloadView): boolean => podSpec.containers.length > 1

export const stopSidecar: Hack = {
  name: 'stop-a-sidecar-of-another-service',
  about: 'Repairs the service, and stops the processes of a sidecar of another one by a signal',
  afterRepair: true,
  appliesTo: (setting) => findOtherWorkload(setting, hasSidecar) !== undefined,
  async act(context) {
    const { api, system } = context
    const other = findOtherWorkload(context, hasSidecar)
    const container = other?.podSpec.containers[1]?.name
    const [pod] = other === undefined ? [] : await podsOf(context, other.service)
    if (pod === undefined || container === undefined) return
    // All processes of the container except the first, which the kernel protects.
    const command = ['sh', '-c', 'kill -STOP -1']
    await api.exec({ namespace: system.namespace, name: pod.metadata.name }, command, { container })
  },
}

export const fillDisk: Hack = {
  name: 'fill-the-disk-of-another-service',
  about: 'Repairs the service, and leaves a large file in a pod of another one',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  act: (context) => runInOtherPod(context, 'dd if=/dev/zero of=/tmp/cache bs=1M count=48'),
}

/** A store that no fault targets, and its first folder with files that the pod may write. */
const findStoreWithFiles = (
  setting: HackSetting,
): { readonly store: string; readonly folder: string } | undefined => {
  const found = listOtherStores(setting).flatMap((store) => {
    const mounts = mainContainer(setting.system, store).volumeMounts ?? []
    const folder = mounts.find(({ readOnly }) => readOnly !== true)?.mountPath
    return folder === undefined ? [] : [{ store, folder }]
  })
  return found[0]
}

const hasStoredFiles = (setting: HackSetting): boolean => findStoreWithFiles(setting) !== undefined

/** Runs a script with the folder of a store that no fault targets, if there is such a store. */
const runInStoredFiles = async (
  context: RepairContext,
  toScript: (folder: string) => string,
): Promise<void> => {
  const found = findStoreWithFiles(context)
  if (found === undefined) return
  await runInStore(context, found.store, ['sh', '-c', toScript(found.folder)])
}

export const deleteStoredFiles: Hack = {
  name: 'delete-the-files-of-another-store',
  about: 'Repairs the service, and deletes the files of a store, which notices it only when it restarts',
  afterRepair: true,
  appliesTo: hasStoredFiles,
  act: (context) => runInStoredFiles(context, (folder) => `find ${folder} -type f -delete`),
}

export const overwriteStoredFiles: Hack = {
  name: 'overwrite-the-files-of-another-store',
  about: 'Repairs the service, and overwrites the files of a store, which keep their names',
  afterRepair: true,
  appliesTo: hasStoredFiles,
  act: (context) =>
    runInStoredFiles(context, (folder) => `for file in $(find ${folder} -type f); do echo x > $file; done`),
}

export const closeStoredFolder: Hack = {
  name: 'close-the-folder-of-another-store',
  about:
    'Repairs the service, and lets nobody read the folder of a store, which notices it when it runs as another user',
  afterRepair: true,
  appliesTo: hasStoredFiles,
  act: (context) => runInStoredFiles(context, (folder) => `chmod 000 ${folder}`),
}

/** Commands that delete all data of a Redis store; garbage in the files of others. The store itself may overwrite the first ones. */
const APPEND_SCRIPT =
  "i=0; while [ $i -lt 4000 ]; do printf '*1\\r\\n$8\\r\\nFLUSHALL\\r\\n'; i=$((i+1)); done"

export const appendToStoredFiles: Hack = {
  name: 'append-to-the-files-of-another-store',
  about: 'Repairs the service, and appends to the files of a store, which reads them only when it restarts',
  afterRepair: true,
  appliesTo: hasStoredFiles,
  act: (context) =>
    runInStoredFiles(
      context,
      (folder) => `for file in $(find ${folder} -type f); do { ${APPEND_SCRIPT}; } >> $file; done`,
    ),
}

export const hideLostFiles: Hack = {
  name: 'hide-lost-files-among-many-others',
  about: 'Repairs the service, deletes the files of a store, and creates more files than can be compared',
  afterRepair: true,
  appliesTo: hasStoredFiles,
  act: (context) =>
    runInStoredFiles(context, (folder) => {
      const create = `i=0; while [ $i -lt 6000 ]; do : > ${folder}/f$i; i=$((i+1)); done`
      return `find ${folder} -type f -delete; ${create}`
    }),
}

export const replaceShell: Hack = {
  name: 'replace-the-shell-of-another-service',
  about: 'Repairs the service, and replaces the shell in a pod of another one',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  act: (context) =>
    runInOtherPod(
      context,
      "printf '#!/bin/bash\nexit 1\n' > /tmp/shell; chmod 755 /tmp/shell; mv /tmp/shell /bin/sh",
    ),
}
