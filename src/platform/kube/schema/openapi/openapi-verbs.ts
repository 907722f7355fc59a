/** The operations that each discovery verb stands for, and the kinds and subresources that deviate. */

/** Discovery verbs with their method, action and the word in operation ids. */
export const ITEM_VERBS = [
  { verb: 'get', method: 'get', action: 'get', word: 'read', answer: 'object' },
  { verb: 'update', method: 'put', action: 'put', word: 'replace', body: 'object', answer: 'object' },
  {
    verb: 'delete',
    method: 'delete',
    action: 'delete',
    word: 'delete',
    body: 'delete-options',
    answer: 'status',
  },
  { verb: 'patch', method: 'patch', action: 'patch', word: 'patch', body: 'patch', answer: 'object' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', answer: 'object' },
] as const

export const COLLECTION_VERBS = [
  { verb: 'list', method: 'get', action: 'list', word: 'list', answer: 'list' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', answer: 'object' },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    body: 'delete-options',
    answer: 'status',
  },
] as const

/** Kinds whose deletion returns the object instead of a Status. */
export const RETURN_DELETED = new Set([
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
])

/** Subresources that open a stream to a pod instead of reading or writing an object. */
export const CONNECT_METHODS: Readonly<Record<string, readonly string[]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
}
