/** The dialogs of webhooks by their names in the URL. */
export const webhookDialogs = {
  create: 'create-webhook',
  edit: 'edit-webhook',
  renewSecret: 'new-webhook-secret',
  delete: 'delete-webhook',
} as const
