/** The modules that the interpreter supports. */
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { assert } from './builtin/assert.ts'
import { command, raw, shell } from './builtin/command.ts'
import { debug } from './builtin/debug.ts'
import { failModule, pause, ping, setFact } from './builtin/small-actions.ts'
import { waitFor } from './builtin/wait-for.ts'
import { k8s } from './kubernetes/k8s.ts'
import { k8sClusterInfo } from './kubernetes/k8s-cluster-info.ts'
import { k8sDrain } from './kubernetes/k8s-drain.ts'
import { k8sExec } from './kubernetes/k8s-exec.ts'
import { k8sInfo } from './kubernetes/k8s-info.ts'
import { k8sJsonPatch } from './kubernetes/k8s-json-patch.ts'
import { k8sLog } from './kubernetes/k8s-log.ts'
import { k8sRollback } from './kubernetes/k8s-rollback.ts'
import { k8sScale } from './kubernetes/k8s-scale.ts'
import { k8sService } from './kubernetes/k8s-service.ts'
import { k8sTaint } from './kubernetes/k8s-taint.ts'
import type { Module } from './module.ts'

const MODULES: Readonly<Record<string, Module>> = {
  'ansible.builtin.assert': assert,
  'ansible.builtin.command': command,
  'ansible.builtin.debug': debug,
  'ansible.builtin.fail': failModule,
  'ansible.builtin.pause': pause,
  'ansible.builtin.ping': ping,
  'ansible.builtin.raw': raw,
  'ansible.builtin.set_fact': setFact,
  'ansible.builtin.shell': shell,
  'ansible.builtin.wait_for': waitFor,
  'kubernetes.core.k8s': k8s,
  'kubernetes.core.k8s_cluster_info': k8sClusterInfo,
  'kubernetes.core.k8s_drain': k8sDrain,
  'kubernetes.core.k8s_exec': k8sExec,
  'kubernetes.core.k8s_info': k8sInfo,
  'kubernetes.core.k8s_json_patch': k8sJsonPatch,
  'kubernetes.core.k8s_log': k8sLog,
  'kubernetes.core.k8s_rollback': k8sRollback,
  'kubernetes.core.k8s_scale': k8sScale,
  'kubernetes.core.k8s_service': k8sService,
  'kubernetes.core.k8s_taint': k8sTaint,
}

export const findModule = (name: string): Module => {
  const module = MODULES[name]
  if (module === undefined) throw new UnsupportedPlaybook(`the module ${name}`)
  return module
}
