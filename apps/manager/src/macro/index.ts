export { MacroModule } from './macro.module';
