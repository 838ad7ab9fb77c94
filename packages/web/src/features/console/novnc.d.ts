// The types name a file that version 1.7 does not offer any more.
declare module '@novnc/novnc' {
  export { default } from '@novnc/novnc/lib/rfb'
}
