import Logging
import RoostWeb
